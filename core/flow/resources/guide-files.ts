/**
 * Files of a guide as one reader gets them. Files with price lines are written for the reader, and
 * their digests are of those bytes, so that a digest fits what the same reader gets from a read
 * with the same tools and prices.
 */
import type { GuideFile, GuideRecord } from '../../guides/guide.ts'
import { encodeBase64 } from '../../json/base64.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import { writePrices } from './price-table.ts'
import type { Reader } from './resource-source.ts'

type Needs = Pick<Ports, 'digests' | 'guides'>

export type FileState = { readonly digest: string; readonly bytes: number }

/** Digest (64 hexadecimal digits) and size of a file for this reader. */
export async function readFileState(
  ports: Needs,
  reader: Reader,
  record: GuideRecord,
  file: GuideFile,
): Promise<FileState> {
  if (!file.hasPrices) return file
  const bytes = new TextEncoder().encode(await readFileText(ports, reader, record, file))
  return { digest: ports.digests.sha256Hex(bytes), bytes: bytes.length }
}

/** The members `text` or `blob` of a content. */
export async function readFileContent(
  ports: Needs,
  reader: Reader,
  record: GuideRecord,
  file: GuideFile,
): Promise<JsonObject> {
  if (file.isText) return { text: await readFileText(ports, reader, record, file) }
  return { blob: encodeBase64(await readStored(ports, record, file)) }
}

async function readFileText(
  ports: Needs,
  reader: Reader,
  record: GuideRecord,
  file: GuideFile,
): Promise<string> {
  // The bytes came from a text, so a byte order mark is part of it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const text = decoder.decode(await readStored(ports, record, file))
  return file.hasPrices ? writePrices(text, await reader.tools()) : text
}

function readStored(
  { guides }: Pick<Needs, 'guides'>,
  { guideId, version }: GuideRecord,
  { bytes, from }: GuideFile,
): Promise<Uint8Array> {
  return bytes === 0
    ? Promise.resolve(new Uint8Array())
    : guides.read({ guideId, version, from, bytes })
}
