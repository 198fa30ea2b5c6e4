/** Replies whose bytes name their seq, and how the reply stream suites write and compare them. */
import { acceptOne } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

/** Accepts `count` more requests and appends the reply `bytes(seq)` to each. */
export async function answered(ports: StorePorts, hash: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const seq = await acceptOne(ports, hash, String(done))
    await ports.replies.append({ hash, seq, sealed: bytes(seq) })
  }
}

export function bytes(n: number): Uint8Array {
  return new Uint8Array([n, 255 - n, 0, n])
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
