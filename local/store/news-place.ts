/**
 * Up to where the twin has archived the stream of the Gateway table: a file of the data folder, replaced as
 * a whole. A place that is lost, or belongs to another stream, makes the stream be read from its start,
 * which changes nothing: pages, sums and archive are sets.
 */
import { readFileSync } from 'node:fs'
import { isRecord } from '../../adapters/internal-http/fields.ts'
import { keepFile } from '../settings/kept-file.ts'

/** The number of the last record that was archived, by shard. */
export type StreamPlace = { readonly streamArn: string; readonly seen: ReadonlyMap<string, string> }

export function readPlace(file: string): StreamPlace | undefined {
  const value = readJson(file)
  if (!isRecord(value)) return undefined
  const { seen, streamArn } = value
  if (typeof streamArn !== 'string' || !isRecord(seen)) return undefined
  const numbers = Object.entries(seen).flatMap(([shard, number]) =>
    typeof number === 'string' ? [[shard, number] as const] : [],
  )
  return { streamArn, seen: new Map(numbers) }
}

/** Throws what the file system throws. */
export function writePlace(file: string, { seen, streamArn }: StreamPlace): void {
  keepFile(file, `${JSON.stringify({ streamArn, seen: Object.fromEntries(seen) })}\n`)
}

/** Undefined where there is none, or where it was cut short. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
