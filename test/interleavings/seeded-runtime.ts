/**
 * What would make a run differ from its seed, replaced while the run lasts: timers (the SDK's backoff
 * waits on the scheduler), random bits, the pools of ids, and the thread pool of zlib. Restored afterwards.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import { seededRandom } from './random.ts'

export type Sleep = (ms: number) => Promise<void>

export type Runtime = {
  /** From now on timers of this process wait here; until then they end at once. */
  sleep: Sleep
}

/** Keeps the bits apart from those that choose the schedule. */
const OTHER_SEED = 0x5bd1e995
/** Bits of ids are drawn in bulk: from these, so that an id more changes nothing else. */
const ID_SEED = 0x2545f491

export async function withSeededRuntime<T>(
  seed: number,
  run: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime: Runtime = { sleep: async () => {} }
  const restore = replaceBuiltins(seed, runtime)
  try {
    return await run(runtime)
  } finally {
    restore()
  }
}

function replaceBuiltins(seed: number, runtime: Runtime): () => void {
  const bits = seededRandom(seed ^ OTHER_SEED)
  const idBits = seededRandom(seed ^ ID_SEED)
  const { random } = Math
  const { setTimeout: timer } = globalThis
  const { randomBytes, randomFillSync } = crypto
  const { gunzip, gzip } = zlib
  const wait = (then: () => void, ms = 0) => void runtime.sleep(ms).then(then)
  Math.random = () => bits.below(0x1_0000_0000) / 0x1_0000_0000
  globalThis.setTimeout = Object.assign(wait, timer) as unknown as typeof setTimeout
  crypto.randomBytes = ((size: number) =>
    Buffer.from(Array.from({ length: size }, () => bits.below(256)))) as typeof randomBytes
  crypto.randomFillSync = ((pool: Uint8Array) => {
    pool.forEach((_, at) => {
      pool[at] = idBits.below(256)
    })
    return pool
  }) as typeof randomFillSync
  zlib.gzip = atOnce(zlib.gzipSync) as typeof gzip
  zlib.gunzip = atOnce(zlib.gunzipSync) as typeof gunzip
  syncBuiltinESMExports()
  return () => {
    Math.random = random
    globalThis.setTimeout = timer
    Object.assign(crypto, { randomBytes, randomFillSync })
    Object.assign(zlib, { gunzip, gzip })
    syncBuiltinESMExports()
  }
}

type ZlibFunction = (input: Buffer | string, options?: zlib.ZlibOptions) => Buffer
type ZlibCallback = (error: Error | null, result: Buffer | undefined) => void

/** The form with a callback, answered before the thread pool could be. */
function atOnce(pack: ZlibFunction) {
  return (
    input: Buffer | string,
    ...[options, done]: [zlib.ZlibOptions, ZlibCallback] | [ZlibCallback]
  ) => {
    const answer = typeof options === 'function' ? options : done
    const how = typeof options === 'function' ? undefined : options
    answer?.(null, pack(input, how))
  }
}
