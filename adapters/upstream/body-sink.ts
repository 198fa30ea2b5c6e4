/** What reads a response body, and where its bytes go: the shapes that its readers and sinks share. */
import type { Unreadable } from './unreadable.ts'

export type Body = {
  /** `surplus`: the body is done, and bytes came that do not belong to this answer. */
  take(bytes: Buffer): 'more' | 'done' | 'surplus' | SinkFault
}

export type SinkFault = 'too_large' | Unreadable

export type Sink = {
  /** Undefined: the part was taken. */
  add(part: Buffer): SinkFault | undefined
  /** The body, after its last part. */
  whole(): Buffer | Promise<Buffer | SinkFault>
  /** Ends any work on the body: the caller no longer wants it. */
  drop(): void
}
