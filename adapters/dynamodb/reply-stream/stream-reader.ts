/**
 * The only reader of a table's stream in this process. It reads while there are listeners, and
 * hands each record to the tails of its session. Without listeners it sends no request. Nothing
 * sealed is opened. Bound by docs/service.md, Reply delivery, and docs/design/streams.md#tails. A `look` note makes a tail
 * read its partition.
 *
 *   first listener  ─▶ list shards, place iterators at their ends ─▶ `look` to all listeners
 *   later listener  ─▶ `look` at once: the iterators are older than the listener
 *   last one leaves ─▶ stops; the next first listener begins again
 *   paused          ─▶ stops and reports that it is behind: the tails read their partitions
 */
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams'
import type { Feed, FeedNote } from '../../../core/session/stream-tail.ts'
import { runOutsideTrace } from '../../config/trace.ts'
import { type Mailbox, openMailbox } from './mailbox.ts'
import { type ReadLoop, type ReadLoopNeeds, startReadLoop } from './read-loop.ts'
import { readSessionHash, toFeedNote } from './record-note.ts'

export type ReaderNeeds = Omit<ReadLoopNeeds, 'onGap' | 'onRecords'>

export type StreamReader = {
  /** Hands notes of one session to the feed until `stop`. */
  listen(hash: string): { readonly feed: Feed; stop(): void }
  /** Stops reading while another process has the slot of this one; `resume` begins again. */
  pause(): void
  resume(): void
}

type Listeners = Map<string, Set<Mailbox>>

export function makeStreamReader(needs: ReaderNeeds): StreamReader {
  const listeners: Listeners = new Map()
  let reading: ReadLoop | undefined
  const onRecords = (records: readonly StreamRecord[]) => {
    for (const record of records) handRecordOn(needs, listeners, record)
  }
  const onGap = () => {
    for (const boxes of listeners.values()) putAll(boxes, { kind: 'look' })
  }
  const feedState = {
    keepsUp: () => reading?.keepsUp() === true,
    busy: () => reading?.busy(),
  }
  let paused = false
  const start = () => {
    if (paused) return
    reading ??= runOutsideTrace(() => startReadLoop({ ...needs, onRecords, onGap }))
  }
  const end = () => {
    reading?.stop()
    reading = undefined
  }
  return {
    listen: (hash) => {
      const box = openMailbox(needs.clock, feedState)
      const leave = addListener(listeners, hash, box)
      start()
      if (reading?.isPlaced() === true) box.put({ kind: 'look' })
      const stop = () => {
        leave()
        if (listeners.size === 0) end()
      }
      return { feed: box.feed, stop }
    },
    pause: () => {
      paused = true
      end()
    },
    resume: () => {
      paused = false
      if (listeners.size > 0) start()
    },
  }
}

/** Returns a function that removes the listener; it may be called twice. */
function addListener(listeners: Listeners, hash: string, box: Mailbox): () => void {
  const boxes = listeners.get(hash) ?? new Set()
  listeners.set(hash, boxes.add(box))
  return () => {
    boxes.delete(box)
    if (boxes.size === 0 && listeners.get(hash) === boxes) listeners.delete(hash)
  }
}

/**
 * Hands a record on. A record that cannot be read is reported, and its tails read their partition.
 */
function handRecordOn(
  { clock, onTrouble }: ReaderNeeds,
  listeners: Listeners,
  record: StreamRecord,
): void {
  const hash = readSessionHash(record)
  const boxes = hash === undefined ? undefined : listeners.get(hash)
  if (hash === undefined || boxes === undefined) return
  try {
    const note = toFeedNote(record, hash, clock.nowMs())
    if (note !== undefined) putAll(boxes, note)
  } catch (cause) {
    onTrouble(cause)
    putAll(boxes, { kind: 'look' })
  }
}

function putAll(boxes: Iterable<Mailbox>, note: FeedNote): void {
  for (const box of boxes) box.put(note)
}
