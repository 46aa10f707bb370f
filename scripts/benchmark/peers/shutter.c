// The plainest photos in C: the newest frame of an appsink, pushed through an encoder that is kept, into a file that is
// synced and renamed.
//
// usage: shutter COUNT FOLDER DESCRIPTION
//
// Takes so many photos and one more, 70 to 100 ms apart, and prints how long each took but the first, in ms, as JSON.

#include <fcntl.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "shutter: %s\n", what);
    exit(1);
}

static GstElement *play(const char *text) {
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch(text, &error);
    if (error) fail(error->message);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    return pipeline;
}

static void write_durably(GstSample *jpeg, int folder) {
    GstMapInfo map;
    GstBuffer *buffer = gst_sample_get_buffer(jpeg);
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) fail("the JPEG cannot be read");
    int file = openat(folder, ".shutter-c.part", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, map.data, map.size) != (ssize_t)map.size) fail("the JPEG cannot be written");
    gst_buffer_unmap(buffer, &map);
    if (fsync(file) || close(file)) fail("the file cannot be synced");
    if (renameat(folder, ".shutter-c.part", folder, "shutter-c.jpg") || fsync(folder)) fail("the file cannot be named");
}

int main(int count, char **words) {
    if (count != 4) fail("usage: shutter COUNT FOLDER DESCRIPTION");
    gst_init(NULL, NULL);
    int photos = atoi(words[1]), folder = open(words[2], O_RDONLY | O_DIRECTORY);
    if (folder < 0) fail("the folder cannot be opened");
    gchar *text = g_strdup_printf("%s ! appsink name=sink drop=true max-buffers=1 sync=false", words[3]);
    GstElement *camera = play(text);
    GstElement *encoder = play(
        "appsrc name=in format=time ! jpegenc quality=85 idct-method=islow ! appsink name=out sync=false");
    GstAppSink *newest = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(camera), "sink"));
    GstAppSrc *in = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(encoder), "in"));
    GstAppSink *out = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(encoder), "out"));

    for (int index = 0; index <= photos; index++) {
        g_usleep(70000 + g_random_int_range(0, 30000));
        gint64 began = g_get_monotonic_time();
        GstSample *frame = gst_app_sink_pull_sample(newest);
        if (!frame) fail("the camera has ended");
        gst_app_src_push_sample(in, frame);
        GstSample *jpeg = gst_app_sink_pull_sample(out);
        if (!jpeg) fail("the encoder has failed");
        write_durably(jpeg, folder);
        double took = (double)(g_get_monotonic_time() - began) / 1000;
        if (index) printf("%s%f", index == 1 ? "{\"milliseconds\":[" : ",", took);
        gst_sample_unref(frame);
        gst_sample_unref(jpeg);
    }
    puts("]}");
    gst_element_set_state(camera, GST_STATE_NULL);
    gst_element_set_state(encoder, GST_STATE_NULL);
    gst_object_unref(newest);
    gst_object_unref(in);
    gst_object_unref(out);
    gst_object_unref(camera);
    gst_object_unref(encoder);
    g_free(text);
    return 0;
}
