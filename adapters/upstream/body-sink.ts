/** What reads a response body, and where its bytes go: the shapes that its readers and sinks share. */

export type Body = {
  /** `surplus`: done, and bytes came that are not of this answer. */
  take(bytes: Buffer): 'more' | 'done' | 'surplus' | 'broken' | SinkFault
}

export type SinkFault = 'too_large' | 'unknown_encoding' | 'not_unpackable'

export type Sink = {
  /** Undefined: taken. */
  add(part: Buffer): SinkFault | undefined
  /** The body, after its last part. */
  whole(): Buffer | Promise<Buffer | SinkFault>
  /** Ends what works on it: nobody wants it any more. */
  drop(): void
}
