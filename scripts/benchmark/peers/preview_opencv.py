"""The plainest reader of frames with OpenCV, through its GStreamer backend. Prints how many it got, as JSON.

usage: preview_opencv.py DESCRIPTION
"""

import json
import sys

import cv2

capture = cv2.VideoCapture(f"{sys.argv[-1]} ! appsink drop=true max-buffers=1 sync=false", cv2.CAP_GSTREAMER)
if not capture.isOpened():
    sys.exit("preview_opencv: this OpenCV does not open GStreamer's pipelines")
frames = 0
while capture.read()[0]:
    frames += 1
capture.release()
print(json.dumps({"frames": frames}))
