/** A response stream that records whether it was answered exactly once, and in time. */
import type { ResponseHead } from '../../adapters/http/events.ts'
import { MemoryResponse } from '../lambdas/door-client.ts'

export class CountedAnswer extends MemoryResponse {
  /** How often a status was set. */
  heads = 0
  /** Writes after the end. */
  faults = 0

  constructor() {
    super()
    this.on('error', () => {
      this.faults += 1
    })
  }

  override setHead(head: ResponseHead): void {
    this.heads += 1
    super.setHead(head)
  }

  get isStream(): boolean {
    return (this.headers['content-type'] ?? '').startsWith('text/event-stream')
  }
}
