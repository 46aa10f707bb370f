import Foundation
import Testing

@testable import GStreamer

/// Who waits on an actor of its own: what it runs after ``waiting()`` finds it waiting.
private actor Consumer {
    private let mailbox: SampleMailbox

    init(_ mailbox: SampleMailbox) { self.mailbox = mailbox }

    private func wait(_ began: AsyncStream<Void>.Continuation) async -> SampleMailbox.Entry? {
        began.yield()
        return await mailbox.next()
    }

    nonisolated func waiting() async -> Task<SampleMailbox.Entry?, Never> {
        let (begins, began) = AsyncStream<Void>.makeStream()
        let task = Task { await wait(began) }
        for await _ in begins { break }
        return task
    }

    func run(_ body: @Sendable (SampleMailbox) -> Void) { body(mailbox) }
}

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
        let consumer = Consumer(mailbox)
        let task = await consumer.waiting()
        await consumer.run { $0.put(sample) }
        #expect(await task.value?.number == 1)
        #expect(mailbox.counts == (1, 0))
    }

    @Test func endsAWaitThatIsCancelled() async throws {
        let consumer = Consumer(mailbox)
        let task = await consumer.waiting()
        await consumer.run { _ in task.cancel() }
        #expect(await task.value == nil)
        // One that is cancelled before it begins does not begin.
        let late = Task { [mailbox] in
            while !Task.isCancelled { await Task.yield() }
            return await mailbox.next()
        }
        late.cancel()
        #expect(await late.value == nil)
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
        let consumer = Consumer(mailbox)
        let task = await consumer.waiting()
        await consumer.run { $0.close() }
        #expect(await task.value == nil)
    }

    @Test func interruptingWakesWhoWaitsAndGoesOn() async throws {
        let consumer = Consumer(mailbox)
        let task = await consumer.waiting()
        await consumer.run { $0.interrupt() }
        #expect(await task.value == nil)
        mailbox.put(try await sample("videotestsrc num-buffers=1"))
        #expect(await mailbox.next()?.number == 1)
    }

    @Test func anInterruptOfTheWaitersActorIsNeverTooEarly() async {
        let consumer = Consumer(mailbox)
        for _ in 0..<200 {
            let task = await consumer.waiting()
            await consumer.run { $0.interrupt() }
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
