/**
 * Reads the entry of a server in a client's configuration, whoever wrote it: which URL the client
 * calls, and where it gets its key. The clients have entries of different forms, so the URL and the
 * header are looked for at any depth.
 */
import { readPlaceholder } from '../../core/access/placeholder.ts'
import { toFields } from '../gateway/admin-client.ts'
import { collectTexts } from './config-diff.ts'

export type EntryAuth =
  /** The client puts the value of this variable in. */
  | { readonly kind: 'variable'; readonly name: string }
  /** The client asks the person for the key. */
  | { readonly kind: 'prompt' }
  | { readonly kind: 'key'; readonly key: string }
  /** There is no credential, so the client logs in. */
  | { readonly kind: 'login' }

export type Entry = { readonly url: string | undefined; readonly auth: EntryAuth }

export function readEntry(entry: unknown): Entry {
  const texts = collectTexts(entry)
  return { url: texts.find((text) => /^https?:\/\//.test(text)), auth: readAuth(entry, texts) }
}

/** `Bearer KEY`, also as `Authorization: Bearer KEY` in the arguments of a program. */
const BEARER = /^(?:authorization: *)?bearer +(.*)$/i

function readAuth(entry: unknown, texts: readonly string[]): EntryAuth {
  const named = toFields(entry)['bearer_token_env_var']
  if (typeof named === 'string') return { kind: 'variable', name: named }
  const sent = texts.map((text) => BEARER.exec(text)?.[1]?.trim()).find((one) => one !== undefined)
  if (sent === undefined) return { kind: 'login' }
  if (/^\$\{input:/.test(sent)) return { kind: 'prompt' }
  const placeholder = readPlaceholder(sent)
  if (placeholder === undefined) return { kind: 'key', key: sent }
  return { kind: 'variable', name: placeholder.variable ?? 'a variable' }
}
