/**
 * Opens an archive by its address: a folder, or `s3://BUCKET` with the SDK's own region and
 * credentials.
 */
import { existsSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { makeFolderArchive } from '../../adapters/archive/folder-archive.ts'
import { makeS3Archive } from '../../adapters/archive/s3-archive-reader.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { Archive } from '../../core/ports/usage.ts'
import { StartFault } from '../../local/start-fault.ts'

/**
 * Opens the archive. Throws a StartFault for an address of another form, and for a folder that does
 * not exist.
 */
export async function openArchive(address: string): Promise<Archive> {
  if (!address.startsWith('s3:')) {
    if (existsSync(address)) return makeFolderArchive(address)
    throw new StartFault(`--archive: there is no folder ${address}`)
  }
  const [, bucket] = /^s3:\/\/([a-z0-9-]{3,63})\/?$/.exec(address) ?? []
  if (bucket === undefined) throw new StartFault(`--archive: give s3://BUCKET, not ${address}`)
  // The DynamoDB client finds region and credentials; it sends no request here.
  const { config } = new DynamoDBClient({})
  const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']
  return makeS3Archive({
    bucket,
    region: await config.region(),
    endpoint,
    credentials: config.credentials,
    clock: systemClock(),
  })
}
