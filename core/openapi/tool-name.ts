/**
 * Makes the ids of imported skills. A name that an administrator chose comes first, then the
 * document's own name, then the operation id, then method and path. The plan tells which names are
 * generated, because a person would want to choose them.
 */
import { ok, type Result, refuse } from '../errors.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import { makeDistinctName, toAsciiName, toLetters } from './distinct-name.ts'
import { NAME_HASH_CHARS, TOOL_NAME_CHARS_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import type { ToolSettings } from './tool-settings.ts'

/** Names by operation: by its id, or by its name in plans, such as `GET /pets`. */
export type GivenNames = { readonly [operation: string]: string }

/** Names by {@link Operation.key}. */
export type ChosenNames = ReadonlyMap<string, string>

/** How an id came about: `chosen` and `document` are names of people, the others are generated. */
export type NameOrigin = 'chosen' | 'document' | 'path' | 'cut' | 'taken'

export type ToolName = { readonly skillId: string; readonly origin: NameOrigin }

type NameTerms = {
  /** `{gateway}_{prefix}_`, with which each id begins. */
  readonly start: string
  readonly taken: ReadonlySet<string>
  readonly hash: (text: string) => string
}

/** A long or taken id is cut and ends in a hash of the operation. */
export function makeToolName(
  operation: Operation,
  { name }: ToolSettings,
  from: NameTerms,
): ToolName {
  const { key, method, operationId, path } = operation
  const source = name ?? operationId ?? `${method.toLowerCase()}_${path}`
  const whole = `${from.start}${toSafeId(source) || toSafeId(`${method}_${path}`) || 'root'}`
  const isLong = whole.length > TOOL_NAME_CHARS_MAX
  if (!isLong && !from.taken.has(whole)) {
    return { skillId: whole, origin: name === undefined ? findOrigin(operation) : 'document' }
  }
  const hash = toLetters(from.hash(key)).slice(0, NAME_HASH_CHARS)
  const head = whole.slice(0, TOOL_NAME_CHARS_MAX - NAME_HASH_CHARS - 1).replace(/[_-]+$/, '')
  const skillId = makeDistinctName(`${head}_${hash}`, from.taken, TOOL_NAME_CHARS_MAX)
  return { skillId, origin: isLong ? 'cut' : 'taken' }
}

/** An id such as `read_item_items__item_id__get` repeats the method and the path. */
function findOrigin({ method, operationId, path }: Operation): NameOrigin {
  if (operationId === undefined) return 'path'
  const id = toPlainLetters(operationId)
  const ofPath = toPlainLetters(path)
  const verb = method.toLowerCase()
  const repeats = id.endsWith(`${ofPath}${verb}`) || id === `${verb}${ofPath}`
  return repeats && path.split('/').length > PLAIN_PATH_PARTS ? 'path' : 'document'
}

/** `/pets` has two parts: `getPets` is a name that a person gives. */
const PLAIN_PATH_PARTS = 2

function toPlainLetters(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '')
}

function toSafeId(name: string): string {
  return toAsciiName(name)
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')
}

/**
 * Finds the operations of given names. Refuses a name of an operation that is not imported or that
 * several operations have, a name that two operations get, and one that no tool can have.
 */
export function resolveNames(
  given: GivenNames,
  selected: readonly Operation[],
  start: string,
): Result<ChosenNames> {
  const byWord = indexOperations(selected)
  const chosen = new Map<string, string>()
  const owners = new Map<string, string>()
  for (const [word, whole] of Object.entries(given)) {
    // People copy names of tools out of a plan, where they are whole.
    const name = whole.startsWith(start) ? whole.slice(start.length) : whole
    const [operation, ...others] = byWord.get(word) ?? []
    if (operation === undefined) return refuseName(word, 'is no operation that is imported')
    const wrong =
      explainManyOperations(operation, others) ??
      explainBadName(name, start) ??
      explainTakenName(name, owners.get(name))
    if (wrong !== undefined) return refuseName(word, wrong)
    if (chosen.has(operation.key)) return refuseName(word, 'has two names')
    chosen.set(operation.key, name)
    owners.set(name, word)
  }
  return ok(chosen)
}

function explainManyOperations(
  { key }: Operation,
  { length }: readonly Operation[],
): string | undefined {
  return length === 0 ? undefined : `is the id of ${length + 1} operations; write ${key}`
}

function explainTakenName(name: string, owner: string | undefined): string | undefined {
  return owner === undefined ? undefined : `gets the name ${name}, which ${owner} has`
}

function indexOperations(selected: readonly Operation[]): ReadonlyMap<string, Operation[]> {
  const byWord = new Map<string, Operation[]>()
  for (const operation of selected) {
    const { key, operationId } = operation
    for (const word of operationId === undefined ? [key] : [key, operationId]) {
      const all = byWord.get(word)
      if (all === undefined) byWord.set(word, [operation])
      else all.push(operation)
    }
  }
  return byWord
}

/** Returns undefined for a name that a tool can have. */
function explainBadName(name: string, start: string): string | undefined {
  const charsMax = TOOL_NAME_CHARS_MAX - start.length
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= charsMax) return undefined
  return `gets a name that no tool can have: 1 to ${charsMax} characters of A-Z a-z 0-9 _ -`
}

function refuseName(word: string, wrong: string): Result<never> {
  const faults = [{ pointer: `/names${toJsonPointer([word])}`, message: wrong }]
  return refuse('invalid_arguments', `names: ${word} ${wrong}.`, { faults })
}
