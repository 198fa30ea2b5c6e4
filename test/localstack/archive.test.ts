/** The archive's bucket on the emulator: the contract of every archive, and what only S3 itself decides. */
import { expect, test } from 'vitest'
import { makeS3Archive } from '../../adapters/archive/s3-archive-reader.ts'
import { type S3Bucket, sendToS3 } from '../../adapters/archive/s3-send.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { describeArchive } from '../contracts/archive-contract.ts'
import { freshName } from '../contracts/fresh.ts'
import { CREDENTIALS, REGION } from './credentials.ts'
import { emulatorOfProcess } from './emulator.ts'

/** S3 answers a list with 1,000 names at most. */
const NAMES = 1_001
const AT_ONCE = 50

const emulator = await emulatorOfProcess()

async function freshBucket(): Promise<S3Bucket> {
  const bucket: S3Bucket = {
    bucket: freshName('archive-').toLowerCase(),
    region: REGION,
    endpoint: emulator.endpoint,
    credentials: async () => CREDENTIALS,
    clock: systemClock(),
  }
  const made = await sendToS3(bucket, { method: 'PUT', key: '' })
  if (made.status !== 200) throw new Error(`no bucket: ${made.status} ${made.body}`)
  return bucket
}

describeArchive(emulator.name, async () => makeS3Archive(await freshBucket()))

test(`${NAMES} names are listed whole, over the pages of S3`, { timeout: 120_000 }, async () => {
  const archive = makeS3Archive(await freshBucket())
  const names = Array.from(
    { length: NAMES },
    (_, index) => `ledger/day=2026-11-22/${String(index).padStart(4, '0')}=a+b.ndjson.gz`,
  )
  for (let from = 0; from < NAMES; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE)
    await Promise.all(some.map((name) => archive.put({ name, text: `${name}\n` })))
  }
  expect(await archive.list('ledger/')).toEqual(names)
  expect(await archive.read(names[7] ?? '')).toBe(`${names[7]}\n`)
})

test('a bucket that is not there is named by its code', async () => {
  const nowhere = makeS3Archive({
    ...(await freshBucket()),
    bucket: freshName('none-').toLowerCase(),
  })
  const put = nowhere.put({ name: 'ledger/day=2026-11-22/x.ndjson.gz', text: 'x\n' })
  await expect(put).rejects.toThrow('got 404 NoSuchBucket')
})
