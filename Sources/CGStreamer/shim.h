// What Swift cannot reach in GStreamer's headers by itself. Each entry says why; it goes when the importer learns it.
#ifndef CGSTREAMER_SHIM_H
#define CGSTREAMER_SHIM_H

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <gst/gst.h>
#include <gst/app/gstappsink.h>
#include <gst/tag/tag.h>
#include <gst/video/video.h>

#include <dlfcn.h>

// What is used of GIO. It is loaded by camera_gio_load() and not linked: with the libraries that it brings it would take
// 0.6 ms of each start, and only programs in a sandbox need it.
#define CAMERA_GIO_FUNCTIONS(F) \
    F(g_dbus_address_escape_value) \
    F(g_dbus_connection_add_filter) \
    F(g_dbus_connection_call_with_unix_fd_list_sync) \
    F(g_dbus_connection_close_sync) \
    F(g_dbus_connection_flush_sync) \
    F(g_dbus_connection_is_closed) \
    F(g_dbus_connection_new_for_address_sync) \
    F(g_dbus_connection_remove_filter) \
    F(g_dbus_error_get_remote_error) \
    F(g_dbus_message_get_body) \
    F(g_dbus_message_get_interface) \
    F(g_dbus_message_get_member) \
    F(g_dbus_message_get_message_type) \
    F(g_dbus_message_get_path) \
    F(g_dbus_message_get_sender) \
    F(g_dbus_message_get_serial) \
    F(g_io_error_quark) \
    F(g_unix_fd_list_steal_fds)

#define CAMERA_GIO_FIELD(function) __typeof__(&function) function;
struct CameraGIO {
    CAMERA_GIO_FUNCTIONS(CAMERA_GIO_FIELD)
};

// The library is never unloaded. FALSE when it, or one of the functions, is not there.
static inline gboolean camera_gio_load(struct CameraGIO *gio) {
    void *library = dlopen("libgio-2.0.so.0", RTLD_LAZY);
    if (!library) return FALSE;
#define CAMERA_GIO_FIND(function) \
    if (!(gio->function = (__typeof__(&function))dlsym(library, #function))) return FALSE;
    CAMERA_GIO_FUNCTIONS(CAMERA_GIO_FIND)
#undef CAMERA_GIO_FIND
    return TRUE;
}

// mallopt is in no module of the Glibc overlay.
#include <malloc.h>

// G_TYPE_* and GST_TYPE_* are macros with casts, which are not imported.
static inline GType camera_g_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType camera_g_type_enum(void) { return G_TYPE_ENUM; }
static inline GType camera_g_type_flags(void) { return G_TYPE_FLAGS; }
static inline GType camera_g_type_int(void) { return G_TYPE_INT; }
static inline GType camera_g_type_uint(void) { return G_TYPE_UINT; }
static inline GType camera_g_type_int64(void) { return G_TYPE_INT64; }
static inline GType camera_g_type_uint64(void) { return G_TYPE_UINT64; }
static inline GType camera_g_type_float(void) { return G_TYPE_FLOAT; }
static inline GType camera_g_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType camera_g_type_string(void) { return G_TYPE_STRING; }
static inline GType camera_gst_type_fraction(void) { return GST_TYPE_FRACTION; }
static inline GType camera_gst_type_int_range(void) { return GST_TYPE_INT_RANGE; }
static inline GType camera_gst_type_fraction_range(void) { return GST_TYPE_FRACTION_RANGE; }
static inline GType camera_gst_type_list(void) { return GST_TYPE_LIST; }
static inline GType camera_gst_type_caps(void) { return GST_TYPE_CAPS; }

// G_IS_*/GST_IS_* type checks and instance-to-class casts are macros.
static inline gboolean camera_is_bin(gpointer object) { return GST_IS_BIN(object); }
static inline GParamSpec *camera_find_property(gpointer object, const char *name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
}

// G_VALUE_HOLDS_ENUM is a macro, and so is the cast of the class that knows the nicknames, which are static strings.
static inline const char *camera_value_enum_nick(const GValue *value) {
    if (!G_VALUE_HOLDS_ENUM(value)) return NULL;
    GEnumClass *known = (GEnumClass *)g_type_class_ref(G_VALUE_TYPE(value));
    GEnumValue *found = g_enum_get_value(known, g_value_get_enum(value));
    const char *nick = found ? found->value_nick : NULL;
    g_type_class_unref(known);
    return nick;
}

// GST_OBJECT_NAME on a factory, whose struct is opaque to Swift.
static inline const char *camera_element_factory_name(GstElement *element) {
    GstElementFactory *factory = gst_element_get_factory(element);
    return factory ? GST_OBJECT_NAME(factory) : NULL;
}

// The stream lock is a macro over an embedded recursive mutex.
static inline void camera_pad_stream_lock(GstPad *pad) { GST_PAD_STREAM_LOCK(pad); }
static inline gboolean camera_pad_stream_trylock(GstPad *pad) { return GST_PAD_STREAM_TRYLOCK(pad); }
static inline void camera_pad_stream_unlock(GstPad *pad) { GST_PAD_STREAM_UNLOCK(pad); }

// GST_EVENT_TYPE and the like read a struct field that Swift sees, but the serialized-query test is a macro.
static inline gboolean camera_query_is_serialized(GstQuery *query) { return GST_QUERY_IS_SERIALIZED(query); }

// GstVideoMeta's API type is a function behind a macro that takes no argument.
static inline void camera_query_add_video_meta(GstQuery *query) {
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
}

// As with GIO: only photos need it.
static inline __typeof__(&gst_tag_list_to_exif_buffer_with_tiff_header) camera_exif_writer(void) {
    void *library = dlopen("libgsttag-1.0.so.0", RTLD_LAZY);
    return library ? (__typeof__(&gst_tag_list_to_exif_buffer_with_tiff_header))dlsym(
                         library, "gst_tag_list_to_exif_buffer_with_tiff_header")
                   : NULL;
}

#endif
