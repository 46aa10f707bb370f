import Foundation
import Testing

@testable import CameraCore

/// Why a node may not be opened, and what helps.
@Suite struct NodeAccessTests {
    private static let video: UInt32 = 44

    private static func access(
        group: String = "video", id: UInt32 = video, mode: Int = 0o660, session: Set<UInt32> = [1000],
        account: Set<UInt32> = [1000]
    ) -> NodeAccess {
        NodeAccess(
            node: "/dev/video0", owner: "root", group: group, groupID: id, mode: mode,
            person: .init(name: "ann", sessionGroups: session, accountGroups: account))
    }

    @Test(
        arguments: [
            (
                "not in the group", access(),
                ["the group 'video'", "sudo usermod -aG video ann", "log in again"], []
            ),
            (
                "another group", access(group: "camera", id: 812),
                ["the group 'camera'", "sudo usermod -aG camera ann"], ["video ann"]
            ),
            (
                "joined since the login", access(account: [1000, video]),
                ["'video', which you have joined", "log out and in again", "newgrp video"], ["usermod"]
            ),
            (
                "the group may not either", access(mode: 0o600, session: [1000, video]),
                ["mode 600", "'root'", "chmod g+rw /dev/video0", "udev"], ["usermod", "log in", "log out"]
            ),
            ("the group may read only", access(mode: 0o640), ["mode 640", "chmod g+rw"], ["usermod"]),
            (
                "root's own", access(group: "root", id: 0),
                ["'root'", "sudo chgrp video /dev/video0", "udev"], ["usermod"]
            ),
            (
                "forbidden elsewhere", access(session: [1000, video], account: [1000, video]),
                ["you are in it", "sandbox", "AppArmor"], ["usermod", "log in", "log out"]
            ),
        ] as [(String, NodeAccess, [String], [String])])
    func theRemedyFitsTheReason(_ reason: String, _ access: NodeAccess, has: [String], hasNot: [String]) {
        for part in has { #expect(access.advice.contains(part), "\(reason): \(access.advice)") }
        for part in hasNot { #expect(!access.advice.contains(part), "\(reason): \(access.advice)") }
    }

    @Test func aNodeAndWhoRunsTheProgramAreLookedAt() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("video0")
            try Data().write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
            let access = NodeAccess(node: file.path)
            let own = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(access.mode == 0o640)
            #expect(access.group == own[.groupOwnerAccountName] as? String)
            #expect(access.owner == own[.ownerAccountName] as? String)
            // A file is made with a group of its maker's.
            #expect(access.person.sessionGroups.contains(access.groupID))
            #expect(access.person.accountGroups.contains(access.groupID))
            #expect(access.person.name == NSUserName())
        }
    }

    @Test func theErrorNamesNodeCameraAndGroup() {
        let device = CaptureDevice("usb:1", "Desk Cam", .external, node: "/nowhere/video7")
        let error = CameraError.permissionDenied(device)
        #expect(error.code == .permissionDenied)
        for part in ["/nowhere/video7", "Desk Cam", "'video'"] { #expect(error.message.contains(part)) }
    }
}

/// Who holds a node, found in /proc: of any file.
@Suite(.timeLimit(.minutes(1))) struct NodeHolderTests {
    @Test func nobodyIsNamedWhereNobodyIsSeen() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("video0")
            try Data().write(to: file)
            #expect(NodeHolder.all(of: file.path).isEmpty)
            let device = CaptureDevice("usb:1", "Desk Cam", .external, node: file.path)
            let error = CameraError.busy(device)
            #expect(error.code == .deviceBusy)
            #expect(
                error.message
                    == "Desk Cam (usb:1) is in use by another program; close that program and try again")
        }
        #expect(NodeHolder.all(of: "/nowhere/video7").isEmpty)
        #expect(NodeHolder.all(of: "/nowhere/video7", proc: "/nowhere").isEmpty)
    }

    @Test func thisProcessIsNamedWhenItHoldsMoreThanTheOneThatAsks() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("video0")
            try Data().write(to: file)
            let first = try FileHandle(forUpdating: file)
            let device = CaptureDevice("usb:1", "Desk Cam", .external, node: file.path)
            #expect(CameraError.busy(device, isOpened: true).message.contains("another program"))
            let second = try FileHandle(forUpdating: file)
            let holders = NodeHolder.all(of: file.path)
            #expect(holders.map(\.process) == [getpid()] && holders[0].handles == 2)
            let message = CameraError.busy(device, isOpened: true).message
            #expect(message.contains("by this program itself ('"), "\(message)")
            #expect(message.contains("', process \(getpid()))"), "\(message)")
            try first.close()
            #expect(CameraError.busy(device).message.contains("this program itself"))
            try second.close()
        }
    }

    @Test func anotherProcessIsNamedAlsoThroughALink() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("video0")
            try Data().write(to: file)
            let link = folder.appendingPathComponent("by-id")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            // A name longer than the kernel keeps.
            let program = folder.appendingPathComponent("a-program-of-a-long-name")
            try FileManager.default.copyItem(atPath: "/bin/cat", toPath: program.path)
            let process = Process()
            process.executableURL = program
            process.arguments = ["-"]
            let input = Pipe()
            process.standardInput = input
            process.standardOutput = try FileHandle(forWritingTo: link)
            let ours = process.standardOutput as? FileHandle
            try process.run()
            try ours?.close()
            defer { kill(process.processIdentifier, SIGKILL) }
            // Until it runs, its command line is empty; then it copies what it reads.
            try input.fileHandleForWriting.write(contentsOf: Data("here\n".utf8))
            // Foundation leaks a page for each empty file that it reads, so only the size is looked at.
            var info = stat()
            while stat(file.path, &info) == 0, info.st_size == 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
            for path in [file.path, link.path] {
                let device = CaptureDevice("usb:1", "Desk Cam", .external, node: path)
                let message = CameraError.busy(device).message
                #expect(
                    message.contains("'a-program-of-a-long-name' (process \(process.processIdentifier))"),
                    "\(message)")
                #expect(message.contains("close it and try again"))
            }
        }
    }

    @Test func severalAreNamed() {
        let holders = [
            NodeHolder(process: 4, name: "obs", handles: 1), NodeHolder(process: 9, name: "zoom", handles: 2),
        ]
        #expect(
            holders.explanation(ownHandles: 0)
                == "in use by 'obs' (process 4) and 'zoom' (process 9); close them and try again")
    }

    @Test func anEntryOfProcThatIsNoProcessIsPassedOver() async throws {
        try await withFolder { folder in
            for path in ["self/fd", "12/fd", "x/fd"] {
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent(path), withIntermediateDirectories: true)
            }
            for entry in ["12", "self"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.appendingPathComponent("\(entry)/fd/3").path,
                    withDestinationPath: "/dev/video0")
            }
            let holders = NodeHolder.all(of: "/dev/video0", proc: folder.path)
            #expect(holders.map(\.process) == [12])
            #expect(holders.map(\.name) == ["?"])
        }
    }
}
