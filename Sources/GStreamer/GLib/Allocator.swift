import CGStreamer

/// The process's memory allocator.
public enum Allocator {
    /// Makes blocks of the size of a frame go back to the system when they are freed: `mallopt`.
    ///
    /// glibc otherwise raises its own threshold after the first freed frame and keeps the following ones in its
    /// arenas, so that a program that holds three frames appears to hold thirty. Call it before the first frame.
    public static func returnLargeBlocks() {
        mallopt(M_MMAP_THRESHOLD, 256 * 1024)
    }
}
