/** Every archive keeps the contract: in memory, in a folder, and in a bucket behind HTTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { makeFolderArchive } from '../../adapters/archive/folder-archive.ts'
import { makeS3Archive } from '../../adapters/archive/s3-archive-reader.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { BUCKET, KEY, REGION, startS3 } from '../adapters/archive/s3-server.ts'
import { describeArchive } from './archive-contract.ts'
import { memoryArchive } from './memory-archive.ts'

const folder = mkdtempSync(join(tmpdir(), 'skillgate-archive-'))
const server = await startS3()
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})

describeArchive('in memory', async () => memoryArchive())
describeArchive('in a folder', async () => makeFolderArchive(join(folder, 'made', 'later')))
describeArchive('in a bucket', async () =>
  makeS3Archive({
    bucket: BUCKET,
    region: REGION,
    endpoint: server.endpoint,
    credentials: async () => KEY,
    clock: systemClock(),
  }),
)
