/** Every store of kept results keeps the contract: in memory, in a folder, and in a bucket behind HTTP. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolderKeptResults } from '../../adapters/archive/folder-kept-results.ts'
import { makeS3KeptResults } from '../../adapters/archive/s3-kept-results.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { BUCKET, KEY, REGION, startS3 } from '../adapters/archive/s3-server.ts'
import { manualClock } from '../core/flow/manual-clock.ts'
import { describeKeptResults } from './kept-results-contract.ts'
import { memoryKeptResults } from './memory-kept-results.ts'

const folder = mkdtempSync(join(tmpdir(), 'skillgate-kept-'))
const server = await startS3()
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})
const digests = nodeDigests()
const bucket = {
  bucket: BUCKET,
  region: REGION,
  endpoint: server.endpoint,
  credentials: async () => KEY,
  clock: systemClock(),
}

describeKeptResults('in memory', memoryKeptResults)
describeKeptResults('in a folder', (clock) =>
  makeFolderKeptResults(join(folder, 'made', 'later'), { clock, digests }),
)
describeKeptResults('in a bucket', (clock) => makeS3KeptResults(bucket, { clock, digests }))

test('a sweep of the folder removes what is over or broken, and only the owner can read the rest', async () => {
  const clock = manualClock()
  const root = join(folder, 'swept')
  const kept = makeFolderKeptResults(root, { clock, digests })
  const result = { uid: 'ann', mimeType: 'text/plain', bytes: new Uint8Array([1]) }
  await kept.put({ ...result, resultId: nodeIds().token(32), expiresAtMs: clock.nowMs() + 10 })
  const stays = nodeIds().token(32)
  await kept.put({ ...result, resultId: stays, expiresAtMs: clock.nowMs() + 11 })
  const [owner = ''] = readdirSync(join(root, 'results'))
  writeFileSync(join(root, 'results', owner, 'broken.tmp'), 'no head')
  clock.jump(10)
  await kept.sweep()
  expect(readdirSync(join(root, 'results', owner))).toEqual([stays])
  expect(statSync(join(root, 'results', owner, stays)).mode & 0o077).toBe(0)
  expect(statSync(join(root, 'results', owner)).mode & 0o077).toBe(0)
})

test('a bucket that refuses a result is reported, and the result is not readable', async () => {
  const kept = makeS3KeptResults(bucket, { clock: systemClock(), digests })
  const about = { uid: 'ann', resultId: nodeIds().token(32), mimeType: 'text/plain' }
  server.fail.push(400)
  const put = kept.put({ ...about, expiresAtMs: Date.now() + 1_000, bytes: new Uint8Array([1]) })
  await expect(put).rejects.toThrow('got 400 SlowDown')
  expect(await kept.read({ ...about, from: 0, bytesMax: 10 })).toBeUndefined()
})
