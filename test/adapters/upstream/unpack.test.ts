import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { SinkFault } from '../../../adapters/upstream/body-sink.ts'
import { sinkFor } from '../../../adapters/upstream/response-sink.ts'

const CAP = 1_000_000

/**
 * A body that arrives in parts of `partBytes`: its sink's result, and the faults reported before
 * the end.
 */
async function unpack(encoding: string, packed: Buffer, partBytes: number, cap = CAP) {
  const faults: SinkFault[] = []
  const sink = sinkFor(['content-encoding', encoding], cap, (fault) => faults.push(fault))
  for (let at = 0; at < packed.length; at += partBytes) {
    const fault = sink.add(packed.subarray(at, at + partBytes))
    if (fault !== undefined) return { body: fault, heard: faults }
  }
  return { body: await sink.whole(), heard: faults }
}

describe.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body in %s', (encoding, pack) => {
  const noise = randomBytes(300_000)

  test.each([1_000, 65_536, 1_000_000])(
    'a packed body that comes in parts of %d bytes is whole',
    async (size) => {
      const { body, heard: faults } = await unpack(encoding, pack(noise), size)
      expect(Buffer.isBuffer(body) && body.equals(noise)).toBe(true)
      expect(faults).toEqual([])
    },
  )

  test('a packed body may unpack to the cap, and not to one byte more', async () => {
    expect((await unpack(encoding, pack(Buffer.alloc(CAP)), 1_000)).body).toHaveLength(CAP)
    expect((await unpack(encoding, pack(Buffer.alloc(CAP + 1)), 1_000)).body).toBe('too_large')
  })

  test('a packed body may have packed bytes up to the cap, and not one more', async () => {
    const packed = pack(noise)
    const of = (cap: number) => unpack(encoding, packed, 1_000, cap)
    expect((await of(packed.length)).body).toHaveLength(300_000)
    expect((await of(packed.length - 1)).body).toBe('too_large')
  })

  test('a packed body that was cut off is a fault', async () => {
    const packed = pack(noise)
    for (const bytes of [1, 10, packed.length - 1]) {
      expect((await unpack(encoding, packed.subarray(0, bytes), 1_000)).body).toEqual({
        unreadable: `sent a body that does not unpack as its Content-Encoding "${encoding}" says`,
      })
    }
  })

  test('a packed body without bytes is an empty one', async () => {
    expect((await unpack(encoding, Buffer.alloc(0), 1_000)).body).toEqual(Buffer.alloc(0))
  })
})

/** 100 kB of packed bytes, of which each thousand unpacks to a megabyte. */
const BOMB = Buffer.concat(Array(100).fill(gzipSync(Buffer.alloc(1_000_000))))

test('a bomb is reported while more of it is arriving', async () => {
  const faults: SinkFault[] = []
  const sink = sinkFor(['content-encoding', 'gzip'], CAP, (fault) => faults.push(fault))
  expect(sink.add(BOMB)).toBeUndefined()
  await expect.poll(() => faults).toEqual(['too_large'])
})

test('a bomb ends where it passes the cap, whatever is left of it', async () => {
  const before = process.memoryUsage().arrayBuffers
  expect((await unpack('gzip', BOMB, 1_000)).body).toBe('too_large')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
})

test('garbage is reported while more of it is arriving', async () => {
  const faults: SinkFault[] = []
  const sink = sinkFor(['content-encoding', 'br'], CAP, (fault) => faults.push(fault))
  expect(sink.add(Buffer.alloc(70_000, 0xff))).toBeUndefined()
  await expect
    .poll(() => faults)
    .toEqual([{ unreadable: 'sent a body that does not unpack as its Content-Encoding "br" says' }])
})

test('a body that the caller dropped is not unpacked further', async () => {
  const faults: SinkFault[] = []
  const sink = sinkFor(['content-encoding', 'gzip'], 200_000_000, (fault) => faults.push(fault))
  sink.add(BOMB)
  sink.drop()
  const { promise, resolve } = Promise.withResolvers<'still going'>()
  setTimeout(() => resolve('still going'), 50)
  expect(await Promise.race([sink.whole(), promise])).toBe('still going')
  expect(faults).toEqual([])
})
