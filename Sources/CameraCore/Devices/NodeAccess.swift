import FoundationEssentials
import Glibc

/// Why a person may not open a device's node, and what helps. Pure but for ``init(node:)``.
struct NodeAccess: Sendable {
    /// Who wants to open it.
    struct Person: Sendable {
        var name: String
        /// The groups that this process has: those that the person had when they logged in.
        var sessionGroups: Set<UInt32>
        /// The groups that the person's account has now.
        var accountGroups: Set<UInt32>
    }

    /// The group that cameras belong to on every distribution.
    static let usualGroup = "video"

    var node: String
    var owner: String
    var group: String
    var groupID: UInt32
    var mode: Int
    var person: Person

    /// What is wrong and the remedy, to follow "you may not open …: ".
    var advice: String {
        if groupID == 0 {
            // Nobody should join root's group for the sake of a camera.
            return "it belongs to the group '\(group)', the administrator's own; "
                + "give it to '\(Self.usualGroup)' with 'sudo chgrp \(Self.usualGroup) \(node)' and, for good, "
                + "with a rule for udev"
        }
        if mode & 0o060 != 0o060 {
            return "it belongs to the group '\(group)', but its mode \(String(mode, radix: 8)) lets only "
                + "'\(owner)' read and write; open it to the group with 'sudo chmod g+rw \(node)' and, for good, "
                + "with a rule for udev"
        }
        if person.sessionGroups.contains(groupID) {
            return "its group '\(group)' may, and you are in it, so something else forbids it: "
                + "a sandbox, a container or a security policy (AppArmor, SELinux); allow this program there to "
                + "use \(node)"
        }
        if person.accountGroups.contains(groupID) {
            return "it belongs to the group '\(group)', which you have joined, but not in this session; "
                + "log out and in again, or for this terminal alone 'newgrp \(group)'"
        }
        return "it belongs to the group '\(group)'; "
            + "join it with 'sudo usermod -aG \(group) \(person.name)' and log in again"
    }
}

extension NodeAccess {
    /// Looks at a node, and at who runs this program.
    init(node: String) {
        var found = stat()
        guard stat(node, &found) == 0 else {
            // A node that cannot even be looked at is as a rule one as all others are.
            self.init(
                node: node, owner: "root", group: Self.usualGroup, groupID: .max, mode: 0o660,
                person: Person.current)
            return
        }
        self.init(
            node: node, owner: Self.owner(found.st_uid) ?? "root",
            group: Self.group(found.st_gid) ?? "\(found.st_gid)", groupID: found.st_gid,
            mode: Int(found.st_mode & 0o7777), person: Person.current)
    }

    private static func owner(_ id: uid_t) -> String? {
        var (entry, found) = (passwd(), nil as UnsafeMutablePointer<passwd>?)
        var text = [CChar](repeating: 0, count: 65_536)
        guard getpwuid_r(id, &entry, &text, text.count, &found) == 0, found != nil else { return nil }
        return String(cString: entry.pw_name)
    }

    private static func group(_ id: gid_t) -> String? {
        var (entry, found) = (Glibc.group(), nil as UnsafeMutablePointer<Glibc.group>?)
        var text = [CChar](repeating: 0, count: 65_536)
        guard getgrgid_r(id, &entry, &text, text.count, &found) == 0, found != nil else { return nil }
        return String(cString: entry.gr_name)
    }
}

extension NodeAccess.Person {
    /// Who runs this program.
    static var current: Self {
        // The person's own name, which a remedy is for, also where the shell's variable says something else.
        let name = ProcessInfo.processInfo.userName
        var session = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = max(0, Int(getgroups(Int32(session.count), &session)))
        return Self(
            name: name.isEmpty ? "$USER" : name, sessionGroups: Set(session.prefix(count) + [getegid()]),
            accountGroups: accountGroups(of: name))
    }

    private static func accountGroups(of name: String) -> Set<UInt32> {
        var count: Int32 = 64
        while count <= 65_536 {
            var groups = [gid_t](repeating: 0, count: Int(count))
            let room = count
            if getgrouplist(name, getgid(), &groups, &count) >= 0 { return Set(groups.prefix(Int(count))) }
            // It says how many there are; a library that does not gets more room anyway.
            count = max(count, room * 2)
        }
        return []
    }
}
