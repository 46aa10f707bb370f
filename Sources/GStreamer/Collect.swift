import CGStreamer

/// The objects of an iterator, each made into a value that keeps a reference of its own: `GstIterator`, taken over.
func collect<Item>(
    _ iterator: UnsafeMutablePointer<GstIterator>?, _ make: (UnsafeMutableRawPointer) -> Item
) -> [Item] {
    guard let iterator = unsafe iterator else { return [] }
    defer { unsafe gst_iterator_free(iterator) }
    var found: [Item] = []
    var item = GValue()
    defer { unsafe g_value_unset(&item) }
    while true {
        switch unsafe gst_iterator_next(iterator, &item) {
        case GST_ITERATOR_OK:
            if let object = unsafe g_value_get_object(&item) { unsafe found.append(make(object)) }
            unsafe g_value_reset(&item)
        case GST_ITERATOR_RESYNC:
            found.removeAll()
            unsafe gst_iterator_resync(iterator)
        default: return found
        }
    }
}
