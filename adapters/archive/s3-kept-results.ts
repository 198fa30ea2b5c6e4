/**
 * Results that are kept in the archive's bucket, below a prefix of their own that a lifecycle rule
 * empties after a day. Their hour is over by the clock of the reader. Each id is random and new,
 * and a PUT requires a free name, so no result is replaced; a PUT that is sent again after a lost
 * answer finds its own bytes and gets 412.
 */
import { toKeptName } from '../../core/archive/kept-result.ts'
import type { KeptResults } from '../../core/ports/kept-results.ts'
import type { Clock, Digests } from '../../core/ports/outside.ts'
import { makeRefusalFault, type S3Answer, type S3Bucket, sendToS3 } from './s3-send.ts'

type Needs = { readonly clock: Pick<Clock, 'nowMs'>; readonly digests: Pick<Digests, 'sha256'> }

const EXPIRES_HEADER = 'x-amz-meta-expires-at-ms'

export function makeS3KeptResults(bucket: S3Bucket, { clock, digests }: Needs): KeptResults {
  return {
    async put({ bytes, expiresAtMs, mimeType, resultId, uid }) {
      const key = toKeptName(digests, { uid, resultId })
      if (key === undefined) throw new Error('a kept result needs an id of 43 characters')
      const headers = {
        'content-type': mimeType,
        'if-none-match': '*',
        [EXPIRES_HEADER]: String(expiresAtMs),
      }
      const answer = await sendToS3(bucket, { method: 'PUT', key, headers, body: bytes })
      if (answer.status !== 200 && answer.status !== 412) {
        throw makeRefusalFault({ method: 'PUT', key }, answer)
      }
    },

    async read({ bytesMax, from, resultId, uid }) {
      const key = toKeptName(digests, { uid, resultId })
      const found = key === undefined ? undefined : await readPart(bucket, key, { from, bytesMax })
      if (found === undefined) return undefined
      const { bytes, head } = found
      const expiresAtMs = Number(readHeader(head, EXPIRES_HEADER))
      if (!(expiresAtMs > clock.nowMs())) return undefined
      const mimeType = readHeader(head, 'content-type') ?? UNKNOWN_TYPE
      return { uid, resultId, mimeType, expiresAtMs, totalBytes: readTotal(head), bytes }
    },
  }
}

/** Returns the part with the head of its object; undefined if there is no object. */
async function readPart(
  bucket: S3Bucket,
  key: string,
  { bytesMax, from }: { readonly from: number; readonly bytesMax: number },
): Promise<{ readonly head: S3Answer; readonly bytes: Uint8Array } | undefined> {
  const range = `bytes=${from}-${from + bytesMax - 1}`
  const part = await sendToS3(bucket, { method: 'GET', key, headers: { range } })
  const isPastEnd = part.status === 416
  const head = isPastEnd ? await sendToS3(bucket, { method: 'HEAD', key }) : part
  if (isMissing(head.status)) return undefined
  if (head.status === 200 || head.status === 206) {
    return { head, bytes: isPastEnd ? NO_BYTES : head.body }
  }
  throw makeRefusalFault({ method: 'GET', key }, head)
}

const NO_BYTES = new Uint8Array()
const UNKNOWN_TYPE = 'application/octet-stream'

/** S3 answers 403 for a missing object if the reader may not list the bucket. */
function isMissing(status: number): boolean {
  return status === 404 || status === 403
}

/** The size of the whole object: a part names it in Content-Range, a whole in Content-Length. */
function readTotal(answer: S3Answer): number {
  const [, total] = /\/(\d+)$/.exec(readHeader(answer, 'content-range') ?? '') ?? []
  return Number(total ?? readHeader(answer, 'content-length') ?? answer.body.length)
}

function readHeader({ headers }: S3Answer, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
