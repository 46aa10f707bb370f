import Foundation
import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct SampleMailboxTests {
    private let mailbox = SampleMailbox()

    @Test func keepsOnlyTheNewestAndCounts() async throws {
        let samples = try await samples("videotestsrc num-buffers=3")
        for sample in samples { mailbox.put(sample) }
        #expect(mailbox.counts == (3, 2))
        let entry = try #require(mailbox.take())
        #expect(entry.number == 3)
        #expect(entry.sample === samples[2])
        #expect(mailbox.take() == nil)
        mailbox.put(samples[0])
        #expect(await mailbox.next()?.number == 4)
        #expect(mailbox.counts == (4, 2))
    }

    @Test func handsTheNextToWhoWaits() async throws {
        let sample = try await sample("videotestsrc num-buffers=1")
        async let entry = mailbox.next()
        mailbox.put(sample)
        #expect(await entry?.number == 1)
        #expect(mailbox.counts == (1, 0))
    }

    @Test func endsAWaitThatIsCancelled() async {
        let task = Task { [mailbox] in await mailbox.next() }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test func goesOnAfterACancelledWait() async throws {
        let task = Task { [mailbox] in await mailbox.next() }
        task.cancel()
        _ = await task.value
        mailbox.put(try await sample("videotestsrc num-buffers=1"))
        #expect(await mailbox.next()?.number == 1)
    }

    @Test func endsWhenClosed() async throws {
        let sample = try await sample("videotestsrc num-buffers=1")
        mailbox.put(sample)
        mailbox.close()
        #expect(await mailbox.next() == nil)
        mailbox.put(sample)
        #expect(mailbox.take() == nil)
        #expect(mailbox.counts.arrived == 1)
    }

    @Test func closingWakesWhoWaits() async {
        async let entry = mailbox.next()
        mailbox.close()
        #expect(await entry == nil)
    }

    @Test func interruptingWakesWhoWaitsAndGoesOn() async throws {
        let done = Recorder<Bool>()
        let task = Task { [mailbox] in
            let entry = await mailbox.next()
            done.add(true)
            return entry
        }
        // Whether the task waits already cannot be seen from here; an interrupt before that is for nobody.
        while done.count == 0 {
            mailbox.interrupt()
            await Task.yield()
        }
        #expect(await task.value == nil)
        mailbox.put(try await sample("videotestsrc num-buffers=1"))
        #expect(await mailbox.next()?.number == 1)
    }

    @Test func anInterruptOfTheWaitersActorIsNeverTooEarly() async {
        actor Owner {
            let mailbox = SampleMailbox()
            func wait(_ began: AsyncStream<Void>.Continuation) async -> SampleMailbox.Entry? {
                began.yield()
                return await mailbox.next()
            }
            func interrupt() { mailbox.interrupt() }
        }
        let owner = Owner()
        for _ in 0..<200 {
            let (begins, began) = AsyncStream<Void>.makeStream()
            let task = Task { await owner.wait(began) }
            for await _ in begins { break }
            await owner.interrupt()
            #expect(await task.value == nil)
        }
    }

    @Test func servesOneConsumerAtATime() async throws {
        let sample = try await sample("videotestsrc num-buffers=1")
        await withTaskGroup(of: SampleMailbox.Entry?.self) { [mailbox] group in
            group.addTask { await mailbox.next() }
            group.addTask { await mailbox.next() }
            let second = await group.next()
            #expect(second != nil && second.flatMap { $0 } == nil)
            mailbox.put(sample)
            #expect(await group.next()??.number == 1)
        }
    }

    @Test func clearingCountsAsDropped() async throws {
        mailbox.put(try await sample("videotestsrc num-buffers=1"))
        mailbox.clear()
        mailbox.clear()
        #expect(mailbox.take() == nil)
        #expect(mailbox.counts == (1, 1))
    }

    @Test func losesNothingUncounted() async throws {
        let sample = try await sample("videotestsrc num-buffers=1")
        let total = 20_000
        let producer = Thread { [mailbox] in
            for _ in 0..<total { mailbox.put(sample) }
            mailbox.put(sample)
        }
        producer.start()
        var (received, last) = (0, 0)
        while last <= total, let entry = await mailbox.next() {
            #expect(entry.number > last)
            (received, last) = (received + 1, entry.number)
        }
        #expect(mailbox.counts.arrived == total + 1)
        #expect(received + mailbox.counts.dropped == total + 1)
    }
}
