import Foundation
import GStreamer
import Testing

@testable import CameraCore

/// The settings in launch files.
@Suite struct LaunchFileTests {
    private let settings = LaunchSettings(
        outputDirectory: URL(fileURLWithPath: "/photos"),
        environment: Environment(["SET": "a \"b\" \\c ${SET}", "EMPTY": "", "N1": "7"]))
    private let file = URL(fileURLWithPath: "/pipelines/outputs/x.launch")

    @Test(arguments: [
        ("plain ! text", "plain ! text"),
        ("q=${N1} ! r=${N1:-3}", "q=7 ! r=7"),
        ("a=\"${SET}\"", "a=\"a \\\"b\\\" \\\\c ${SET}\""),
        ("${EMPTY:-x}${NOWHERE:-y}|${NOWHERE:-}|", "xy||"),
        ("${CAMERA_OUTPUT_DIRECTORY:-.}/a", "/photos/a"),
        ("$N1 {N1} $", "$N1 {N1} $"),
    ])
    func areFilledIn(_ text: String, _ filled: String) throws {
        #expect(try settings.fill(in: text, of: file) == filled)
    }

    @Test(arguments: [
        ("location=${NOWHERE}", "NOWHERE"), ("${N1} ${NOWHERE} ! x", "NOWHERE"), ("a=\"${EMPTY}\"", "EMPTY"),
    ])
    func mustBeSetWithoutADefault(_ text: String, _ name: String) throws {
        let error = try #require(throws: CameraError.self) { try settings.fill(in: text, of: file) }
        #expect(error.code == .pipelineInvalid)
        for part in [file.path, "export \(name)=", "${\(name):-"] {
            #expect(error.message.contains(part), "\(error.message)")
        }
    }

    @Test(arguments: ["${N1", "${}", "${N1:=3}", "${1N}", "a=${my name} b", "${N1:-x"])
    func haveOneForm(_ text: String) throws {
        let error = try #require(throws: CameraError.self) { try settings.fill(in: text, of: file) }
        #expect(error.code == .pipelineInvalid)
        #expect(error.message.contains("${NAME:-default}"), "\(error.message)")
    }
}
