/** The archive in a bucket: what it tries again, what it reports, and that it replaces nothing. */
import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeS3ArchiveWriter } from '../../../adapters/archive/s3-archive.ts'
import { makeS3Archive } from '../../../adapters/archive/s3-archive-reader.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { BUCKET, KEY, REGION, startS3 } from './s3-server.ts'

const server = await startS3()
afterAll(() => server.close())
beforeEach(() => {
  server.objects.clear()
  server.seen.length = 0
  server.fail.length = 0
})

const bucket = {
  bucket: BUCKET,
  region: REGION,
  endpoint: server.endpoint,
  credentials: async () => KEY,
  clock: { nowMs: () => 1_795_219_200_000, sleep: async () => {} },
}
const { put } = makeS3ArchiveWriter(bucket)
const OBJECT = { name: 'ledger/day=2026-11-22/one.ndjson.gz', text: 'one\n' }

test('a PUT that S3 failed twice, or that met another, is sent again', async () => {
  server.fail.push(503, 409)
  await put(OBJECT)
  expect(server.seen).toEqual(['PUT 503', 'PUT 409', 'PUT 200'])
})

test('a PUT that failed three times is reported, with its last status', async () => {
  server.fail.push(500, 500, 503)
  await expect(put(OBJECT)).rejects.toThrow(
    `archive: PUT ${OBJECT.name} failed 3 times, the last time with 503`,
  )
  expect(server.objects.size).toBe(0)
})

test('a refusal is reported at once, with the code of S3', async () => {
  const stranger = { ...bucket, credentials: async () => ({ ...KEY, secretAccessKey: 'another' }) }
  await expect(makeS3ArchiveWriter(stranger).put(OBJECT)).rejects.toThrow(
    `archive: PUT ${OBJECT.name} got 403 SignatureDoesNotMatch`,
  )
  expect(server.seen).toEqual(['PUT 403'])
})

test('a name that is taken counts as put', async () => {
  await put(OBJECT)
  await put({ ...OBJECT, text: 'two\n' })
  expect(server.seen).toEqual(['PUT 200', 'PUT 412'])
})

test('a bucket that nobody answers for is reported with its cause', async () => {
  const nowhere = { ...bucket, endpoint: 'http://127.0.0.1:9' }
  await expect(makeS3ArchiveWriter(nowhere).put(OBJECT)).rejects.toThrow(
    `archive: PUT ${OBJECT.name} failed 3 times`,
  )
})

test('bytes that are not gzipped are no object', async () => {
  const { read } = makeS3Archive({ ...bucket, clock: testClock() })
  server.objects.set(OBJECT.name, Buffer.from('plain'))
  await expect(read(OBJECT.name)).rejects.toThrow(`archive: ${OBJECT.name} cannot be unpacked`)
})
