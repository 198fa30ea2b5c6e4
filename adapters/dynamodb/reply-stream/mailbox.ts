/**
 * The mailbox between the stream reader of this process and the tail of one session. The reader
 * puts notes without waiting; the tail takes them when the client has read the previous batch. A
 * full mailbox drops its notes and makes the tail read its partition, which holds all replies.
 */
import type { Clock } from '../../../core/ports/outside.ts'
import type { Feed, FeedNote } from '../../../core/session/stream-tail.ts'

/** Replies in memory for a client that reads slowly; each takes 350 kB at most. */
export const NOTES_MAX = 32

export type Mailbox = { put(note: FeedNote): void; readonly feed: Feed }

export function openMailbox(clock: Clock, reader: Pick<Feed, 'busy' | 'keepsUp'>): Mailbox {
  let notes: FeedNote[] = []
  let sleeping: AbortController | undefined
  return {
    put: (note) => {
      notes = notes.length < NOTES_MAX ? [...notes, note] : [{ kind: 'look' }]
      sleeping?.abort()
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
        sleeping = own
        const end = () => own.abort()
        signal.addEventListener('abort', end)
        await clock.sleep(ms, own.signal)
        signal.removeEventListener('abort', end)
        sleeping = undefined
      },
    },
  }
}
