/**
 * The mailbox between the one reader of a host and the tail of one session. The reader puts notes
 * in without waiting; the tail drains them once the client has read the previous batch. Bounded: a
 * full mailbox drops its notes and tells the tail to read its partition, which holds all of them.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import type { Feed, FeedNote } from '../../../core/session/stream-tail.ts'

/** A client that reads slowly holds at most this many replies in memory, 350 kB each at most. */
export const NOTES_MAX = 32

export type Mailbox = { put(note: FeedNote): void; readonly feed: Feed }

export function openMailbox(clock: Clock, reader: Pick<Feed, 'busy' | 'keepsUp'>): Mailbox {
  let notes: FeedNote[] = []
  let nap: AbortController | undefined
  return {
    put: (note) => {
      notes = notes.length < NOTES_MAX ? [...notes, note] : [{ kind: 'look' }]
      nap?.abort()
    },
    feed: {
      ...reader,
      take: () => {
        const batch = notes
        notes = []
        return batch
      },
      wait: async (ms, signal) => {
        if (notes.length > 0 || signal.aborted) return
        const own = new AbortController()
        nap = own
        const end = () => own.abort()
        signal.addEventListener('abort', end)
        await clock.sleep(ms, own.signal)
        signal.removeEventListener('abort', end)
        nap = undefined
      },
    },
  }
}
