/** A server under load: where it is, what it is sent, what its replies must hold. */
import type { LoadCase } from './load-case.ts'
import type { MeasuredProcess } from './measured-process.ts'

export type Target = Pick<LoadCase, 'url' | 'headers' | 'body' | 'wants'> & {
  readonly name: string
  readonly process: MeasuredProcess
}
