import Testing

@testable import CameraCore

/// A value that is waited for, with a deadline.
@Suite struct LatchTests {
    private func name<Value>(_ outcome: Latch<Value>.Outcome) -> String {
        switch outcome {
        case .delivered: "delivered"
        case .deadline: "deadline"
        case .cancelled: "cancelled"
        }
    }

    /// The alarm of a wait without time can ring before the wait has begun.
    @Test func noTimeIsADeadlineEveryTime() async {
        let latch = Latch<Int>()
        for _ in 0..<2000 { #expect(name(await latch.value(within: .zero)) == "deadline") }
        latch.deliver(1)
        #expect(name(await latch.value(within: .zero)) == "delivered")
    }

    @Test func aWaitEndsWithItsTask() async {
        let latch = Latch<Int>()
        for _ in 0..<200 {
            let task = Task { await latch.value(within: .seconds(60)) }
            task.cancel()
            #expect(name(await task.value) == "cancelled")
        }
    }

    @Test func theFirstDeliveryCounts() async {
        let latch = Latch<Int>()
        let task = Task { await latch.value(within: .seconds(60)) }
        #expect(latch.deliver(1))
        #expect(!latch.deliver(2))
        #expect(name(await task.value) == "delivered" && latch.value == 1)
    }
}
