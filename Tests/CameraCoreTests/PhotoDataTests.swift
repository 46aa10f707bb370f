import Foundation
import GStreamer
import Testing

@testable import CameraCore

extension CameraTests {
    /// What a photo's EXIF data tell.
    @Suite struct PhotoDataTests {
        @Test(arguments: ["test:bars", "file:mjpeg-960x540"])
        func tellsWhenWhichWayUpAndByWhat(_ device: CaptureDevice.ID) async throws {
            try await withFolder { folder in
                try await withCamera(device) { camera in
                    var times: [Double] = []
                    for number in 0..<4 {
                        let photo = try await camera.capturePhoto(
                            to: folder.appendingPathComponent("\(number).jpg"))
                        let captured = Date(
                            timeIntervalSinceNow: photo.presentationTime - (await camera.runningTime))
                        let data = try EXIF(photo.url)
                        let date = try #require(data.original)
                        #expect(abs(date.timeIntervalSince(captured)) < 2)
                        #expect(data.orientation == 1)
                        #expect(data.software == "camera \(Release.version)")
                        #expect(try Data(contentsOf: photo.url).count == photo.bytes)
                        #expect(try Picture(jpeg: photo.url).width == photo.width)
                        times.append(photo.presentationTime)
                    }
                    #expect(times == times.sorted() && Set(times).count == 4)
                }
            }
        }

        /// A slow camera's newest frame is seconds old.
        @Test func aFramesTimeIsThatOfItsCapture() async throws {
            try await withCamera("test:bars", .qvga320x240) { camera in
                var frames = try await camera.frames().makeAsyncIterator()
                let first = try await frames.required()
                let (time, date) = (ClockTime(seconds: first.presentationTime), Date())
                var last = first
                while last.presentationTime < first.presentationTime + 2 {
                    last = try await frames.required()
                }
                let told = await camera.date(at: time)
                #expect(abs(told.timeIntervalSince(date)) < 1)
                // The time of a frame that lies ahead of the clock is now.
                let ahead = await camera.date(at: ClockTime(seconds: first.presentationTime + 1000))
                #expect(abs(ahead.timeIntervalSinceNow) < 1)
            }
        }

        /// Each photo has its own time, in the local time of its day, also in the summer; and the encoder stays warm.
        @Test func eachPhotoHasItsOwn() async throws {
            let encoder = PhotoEncoder()
            defer { encoder.close() }
            let dates = [1_705_318_200, 1_721_042_999, 0, 4_000_000_000].map {
                Date(timeIntervalSince1970: $0)
            }
            try await withFolder { folder in
                for date in dates {
                    let url = try await photo(by: encoder, takenAt: date, in: folder)
                    #expect(try EXIF(url).original == date)
                }
            }
        }

        /// A photo of a drawn frame.
        private func photo(by encoder: PhotoEncoder, takenAt date: Date, in folder: URL) async throws -> URL {
            try GStreamer.initialize()
            let pipeline = try Pipeline(name: "frame")
            let drawing = try Bin(
                description: "videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240")
            let sink = try AppSink(name: "newest")
            try pipeline.add(drawing, sink)
            try drawing.link(to: sink)
            try pipeline.setState(.playing)
            let sample = sink.pull(timeout: ClockTime(seconds: 30))
            try pipeline.setState(.null)
            let url = folder.appendingPathComponent("\(UUID().uuidString).jpg")
            let file = try DurableFile(url, overwrites: false)
            encoder.open(file, quality: 85)
            let bytes = try await encoder.write(try #require(sample), takenAt: date, to: file)
            #expect(try Data(contentsOf: url).count == bytes)
            return url
        }
    }
}

extension CameraController {
    fileprivate func date(at time: ClockTime) -> Date { capture.date(at: time) }
}

/// The EXIF data of a JPEG file, read from its bytes as the standard lays them down.
private struct EXIF {
    private(set) var orientation: Int?
    private(set) var software: String?
    private(set) var original: Date?

    init(_ file: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: file))
        let start = Array("Exif\0\0".utf8)
        var position = 2
        while position + 10 < bytes.count, bytes[position] == 0xFF, bytes[position + 1] != 0xDA {
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            let content = bytes[(position + 4)..<(position + 2 + length)]
            if bytes[position + 1] == 0xE1, content.starts(with: start) {
                try read(Array(content.dropFirst(start.count)))
                return
            }
            position += 2 + length
        }
        throw Picture.Failure(description: "\(file.path) has no EXIF data")
    }

    private mutating func read(_ tiff: [UInt8]) throws {
        let isLittle = tiff.starts(with: Array("II*\0".utf8))
        try #require(isLittle || tiff.starts(with: Array("MM\0*".utf8)))
        func number(_ offset: Int, _ length: Int) -> Int {
            let part = tiff[offset..<(offset + length)]
            return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }
        func text(_ entry: Int) -> String {
            let count = number(entry + 4, 4)
            let offset = count > 4 ? number(entry + 8, 4) : entry + 8
            return String(decoding: tiff[offset..<(offset + count - 1)], as: UTF8.self)
        }
        var directories = [number(4, 4)]
        while let directory = directories.popLast() {
            for index in 0..<number(directory, 2) {
                let entry = directory + 2 + 12 * index
                switch number(entry, 2) {
                case 0x0112: orientation = number(entry + 8, 2)
                case 0x0131: software = text(entry)
                case 0x8769: directories.append(number(entry + 8, 4))
                case 0x9003:
                    let formatter = DateFormatter()
                    formatter.locale = Locale(identifier: "en_US_POSIX")
                    formatter.dateFormat = "yyyy:MM:dd HH:mm:ss"
                    original = formatter.date(from: text(entry))
                default: break
                }
            }
        }
    }
}
