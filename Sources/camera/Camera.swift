import CameraCore
import CameraREPL
import Dispatch
import FoundationEssentials
import GStreamer
import Glibc

/// The command's entry point.
///
/// Synchronous, because valgrind cannot run a program whose main thread ends in the concurrency runtime, and
/// because the end of the process is ours then: GStreamer is deinitialised when nothing uses it any more.
@main
enum Camera {
    static func main() {
        CameraProgram.prepareProcess()
        Allocator.returnLargeBlocks()
        let status = CameraProgram.run(OptionContext.processArguments)
        DurableFile.removeUnfinished()
        // GStreamer waits for its threads; one that a driver or an output holds would keep the process for ever.
        let released = DispatchSemaphore(value: 0)
        SystemThread.start("camera-end") {
            GStreamer.deinitialize()
            released.signal()
        }
        _ = released.wait(timeout: .now() + 0.5)
        exit(status)
    }
}
