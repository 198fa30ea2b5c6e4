/** A store that was opened, and how it is closed. */
import type { StorePorts } from '../../core/ports.ts'

export type OpenStore = {
  readonly ports: StorePorts
  /** For the person at the laptop, where the store is not the one they would expect. */
  readonly note: string | undefined
  stop(): Promise<void>
}
