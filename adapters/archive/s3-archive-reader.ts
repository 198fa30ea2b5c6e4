/**
 * The archive in a bucket, with reads and removals, for an operator's commands and for the daily run
 * of usage. A removed object is a version that the bucket keeps for 90 days.
 */
import { SaxesParser } from 'saxes'
import { Fault } from '../../core/errors.ts'
import type { Archive } from '../../core/ports/usage.ts'
import { gunzipObject } from './object-bytes.ts'
import { makeS3ArchiveWriter } from './s3-archive.ts'
import { makeRefusalFault, type S3Bucket, type S3Request, sendToS3 } from './s3-send.ts'

/** Pages of 1,000 names; four objects each minute make 2,100 pages a year. */
const PAGES_MAX = 100_000

export function makeS3Archive(bucket: S3Bucket): Archive {
  return {
    ...makeS3ArchiveWriter(bucket),
    list: (prefix) => list(bucket, prefix),

    async read(name) {
      const request: S3Request = { method: 'GET', key: name }
      const answer = await sendToS3(bucket, request)
      if (answer.status === 404) return undefined
      if (answer.status !== 200) throw makeRefusalFault(request, answer)
      return gunzipObject(name, answer.body)
    },

    async remove(name) {
      const request: S3Request = { method: 'DELETE', key: name }
      const answer = await sendToS3(bucket, request)
      if (answer.status !== 204 && answer.status !== 200) throw makeRefusalFault(request, answer)
    },
  }
}

async function list(bucket: S3Bucket, prefix: string): Promise<readonly string[]> {
  const names: string[] = []
  let token: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const more: { readonly [name: string]: string } =
      token === undefined ? {} : { 'continuation-token': token }
    const query = { 'list-type': '2', prefix, ...more }
    const request: S3Request = { method: 'GET', key: '', query }
    const answer = await sendToS3(bucket, request)
    if (answer.status !== 200) throw makeRefusalFault(request, answer)
    const page = readPage(answer.body.toString('utf8'))
    names.push(...page.names)
    token = page.next
    if (token === undefined) return names.sort()
  }
  throw new Fault('internal', `archive: ${prefix} has more than ${PAGES_MAX} pages of names`)
}

/** Reads the XML `ListBucketResult` of ListObjectsV2. */
function readPage(xml: string): {
  readonly names: readonly string[]
  readonly next: string | undefined
} {
  const names: string[] = []
  let next: string | undefined
  let text = ''
  const parser = new SaxesParser()
  parser.on('opentag', () => {
    text = ''
  })
  parser.on('text', (more) => {
    text += more
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'Key') names.push(text)
    if (name === 'NextContinuationToken') next = text
    text = ''
  })
  parser.on('error', (cause) => {
    throw new Fault('internal', 'archive: the list of names cannot be read', cause)
  })
  parser.write(xml).close()
  return { names, next }
}
