/**
 * Puts objects into the bucket of the archive. Each PUT requires a free name, so no object is
 * replaced; the bucket's policy refuses any other PUT. s3-archive-reader.ts reads and removes.
 *
 *   A: PUT x if none ✔            both have the same lines: A's object remains, and B gets 412
 *   B:     PUT x if none ✘ 412
 */
import type { Archive } from '../../core/ports/usage.ts'
import { gzipObject } from './object-bytes.ts'
import { makeRefusalFault, type S3Bucket, type S3Request, sendToS3 } from './s3-send.ts'

export function makeS3ArchiveWriter(bucket: S3Bucket): Pick<Archive, 'put'> {
  return {
    async put({ name, text }) {
      const request: S3Request = {
        method: 'PUT',
        key: name,
        headers: { 'if-none-match': '*', 'content-type': 'application/gzip' },
        body: await gzipObject(text),
      }
      const answer = await sendToS3(bucket, request)
      if (answer.status !== 200 && answer.status !== 412) throw makeRefusalFault(request, answer)
    },
  }
}
