import Foundation
import Testing

@testable import CameraCore

/// Random cameras, usual and absurd, and random wishes: no trap, and every answer is a format that the camera has.
@Suite(.timeLimit(.minutes(10))) struct ChooserFuzzTests {
    static let seed = ProcessInfo.processInfo.environment["CAMERA_SEED"].flatMap { UInt64($0) } ?? 20_261_130
    /// How many cases. A million take minutes in a debug build, as long as all other tests together; an error alone
    /// costs the test library thousands of instructions for its backtrace.
    static let cases = ProcessInfo.processInfo.environment["CAMERA_FUZZ_CASES"].flatMap { Int($0) } ?? 40_000

    @Test func everyAnswerIsAFormatThatTheCameraHas() async {
        var random = SplitMix(Self.seed)
        var running: PlannedState?
        var choices = 0
        for number in 0..<Self.cases {
            // Other tests run beside this one, and some of them measure time.
            if number % 50 == 0 { await Task.yield() }
            let asked = ChooserCase(&random, id: number % 3 == 0 ? "usb:2" : "usb:1")
            let answer = Result { () throws(CameraError) in
                try FormatSelection.select(for: asked.wish, on: asked.device)
            }
            var objection = ChooserRules(asked.wish, on: asked.device).objection(to: answer)
            if case .success(let format) = answer {
                choices += 1
                objection = objection ?? zoomObjection(asked.wish.zoom, in: format)
                let wanted = PlannedState(device: asked.device.id, format: format, zoom: asked.wish.zoom)
                let step = ConfigurationPlanner.step(from: running, to: wanted)
                objection = objection ?? ChooserRules.objection(to: step, from: running, to: wanted)
                running = wanted
            }
            if number % 64 == 0 { objection = objection ?? listObjection(asked) }
            if let objection {
                Issue.record("case \(number), seed \(Self.seed): \(objection)\n\(asked)")
                return
            }
        }
        // Both sides of the chooser are looked at.
        let share = Double(choices) / Double(max(1, Self.cases))
        #expect(share > 0.2 && share < 0.8, "\(share)")
    }

    private func zoomObjection(_ zoom: Zoom, in format: ActiveFormat?) -> String? {
        let frame = format?.dimensions ?? Dimensions(width: .max, height: .max)
        let range = ZoomRange(for: frame)
        guard range.minimum == 1, range.maximum >= 1, range.maximum <= 10 else {
            return "\(range) of \(frame)"
        }
        let error = cameraError { () throws(CameraError) in try range.validate(zoom) }
        let isValid =
            zoom.factor >= 1 && zoom.factor <= range.maximum && zoom.center.x >= 0 && zoom.center.x <= 1
            && zoom.center.y >= 0 && zoom.center.y <= 1
        if (error == nil) != isValid || (error != nil && error?.code != .zoomOutOfRange) {
            return "\(zoom) in \(range): \(String(describing: error))"
        }
        return ChooserRules.objection(to: CropRectangle(zoom, in: frame), in: frame)
    }

    /// The list of presets, and what is left of a wish on another camera.
    private func listObjection(_ asked: ChooserCase) -> String? {
        for support in FormatSelection.presets(on: asked.device) {
            let plain = CaptureConfiguration(preset: support.preset)
            let answer = Result { () throws(CameraError) in
                try FormatSelection.select(for: plain, on: asked.device)
            }
            if let objection = ChooserRules(plain, on: asked.device).objection(to: answer) {
                return objection
            }
            guard case .success(let format) = answer else {
                if support.isSupported { return "\(support) is not" }
                continue
            }
            let size = support.preset == .inputPriority ? nil : format?.dimensions
            if !support.isSupported || support.dimensions != size { return "\(support), but \(answer)" }
        }
        let carried = DeviceSwitch.carry(asked.wish, to: asked.device).configuration
        let isHopeless = !asked.device.formats.isEmpty && asked.device.usableFormats.isEmpty
        if !isHopeless, !FormatSelection.canSelect(for: carried, on: asked.device) {
            return "a switch ends in \(carried), which the camera cannot do"
        }
        return nil
    }
}
