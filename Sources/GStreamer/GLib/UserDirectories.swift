import CGStreamer

/// The user's folders as the XDG base directory specification and `user-dirs.dirs` name them.
///
/// GLib looks them up once and remembers the answer, so a later change of the environment has no effect.
public enum UserDirectories {
    /// The pictures folder, or `nil` when the user has configured none: `g_get_user_special_dir`.
    public static var pictures: String? {
        guard let path = unsafe g_get_user_special_dir(G_USER_DIRECTORY_PICTURES) else { return nil }
        return unsafe String(cString: path)
    }

    /// The home folder: `$HOME`, else what the user database says: `g_get_home_dir`.
    public static var home: String { unsafe String(cString: g_get_home_dir()) }

    /// `$XDG_DATA_HOME`, else `~/.local/share`: `g_get_user_data_dir`.
    public static var data: String { unsafe String(cString: g_get_user_data_dir()) }

    /// `$XDG_STATE_HOME`, else `~/.local/state`: `g_get_user_state_dir`.
    public static var state: String { unsafe String(cString: g_get_user_state_dir()) }
}
