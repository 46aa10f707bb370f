// The plainest reader of frames in C: an appsink that keeps one frame, the newest.
//
// usage: appsink [--pause MS | --write FILE] DESCRIPTION
//
// Takes all frames of the description and prints how many it got, as JSON; with --pause it takes so long for each,
// and prints how old each was when it got it. With --write the bytes of the last one go to the file.

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double age(GstElement *pipeline, GstSample *sample) {
    GstClock *clock = gst_element_get_clock(pipeline);
    GstClockTime now = gst_clock_get_time(clock) - gst_element_get_base_time(pipeline);
    GstClockTime then = gst_segment_to_running_time(
        gst_sample_get_segment(sample), GST_FORMAT_TIME, GST_BUFFER_PTS(gst_sample_get_buffer(sample)));
    gst_object_unref(clock);
    return ((double)now - (double)then) / 1e6;
}

static gboolean write_file(GstSample *sample, const char *path) {
    GstMapInfo map;
    GstBuffer *buffer = gst_sample_get_buffer(sample);
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) return FALSE;
    FILE *file = fopen(path, "wb");
    gboolean whole = file && fwrite(map.data, 1, map.size, file) == map.size;
    if (file) whole &= fclose(file) == 0;
    gst_buffer_unmap(buffer, &map);
    return whole;
}

int main(int count, char **words) {
    gst_init(&count, &words);
    int pause = count > 2 && strcmp(words[1], "--pause") == 0 ? atoi(words[2]) : 0;
    const char *path = count > 2 && strcmp(words[1], "--write") == 0 ? words[2] : NULL;
    char *text = g_strdup_printf(
        "%s ! appsink name=sink drop=true max-buffers=1 sync=false", words[count - 1]);
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch(text, &error);
    if (error) {
        fprintf(stderr, "appsink: %s\n", error->message);
        return 1;
    }
    GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
    gst_element_set_state(pipeline, GST_STATE_PLAYING);

    int frames = 0;
    GString *ages = g_string_new("");
    GstSample *sample;
    while ((sample = gst_app_sink_pull_sample(GST_APP_SINK(sink)))) {
        frames++;
        if (pause) {
            g_string_append_printf(ages, "%s%f", ages->len ? "," : "", age(pipeline, sample));
            g_usleep(pause * 1000);
        }
        if (path && !write_file(sample, path)) {
            fprintf(stderr, "appsink: %s cannot be written\n", path);
            return 1;
        }
        gst_sample_unref(sample);
    }
    // A pipeline that failed ends like one that was through.
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *failure = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    gst_object_unref(bus);
    if (failure) {
        fprintf(stderr, "appsink: the pipeline failed\n");
        return 1;
    }
    gst_element_set_state(pipeline, GST_STATE_NULL);
    printf("{\"frames\":%d,\"milliseconds\":[%s]}\n", frames, ages->str);
    g_string_free(ages, TRUE);
    gst_object_unref(sink);
    gst_object_unref(pipeline);
    g_free(text);
    return 0;
}
