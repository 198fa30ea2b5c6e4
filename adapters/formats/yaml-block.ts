/**
 * A YAML block (1.2, core schema) as the JSON object that it stands for. Refuses what JSON cannot say or
 * what a reader would not see: tags, aliases and merges, directives, a key given twice, several documents,
 * infinite numbers. Never throws, and repeats nothing of the text.
 */
import { isAlias, isCollection, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import { type FieldFault, ok, type Refusal, type Result } from '../../core/errors.ts'
import { survives } from '../../core/json/changed-numbers.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { invalid } from '../../core/skills/definition/markdown-skill.ts'
import { CHANGED_NUMBER } from '../../core/skills/definition/number-faults.ts'

type Fault = { readonly offset: number; readonly message: string }

/** `firstLine`: of the block's content, in the text around it. */
export function readYaml(source: string, firstLine: number): Result<JsonObject> {
  const lineCounter = new LineCounter()
  const lineOf = (offset: number) => firstLine - 1 + Math.max(1, lineCounter.linePos(offset).line)
  const read = guarded(() => parsed(source, lineCounter))
  if ('fault' in read) {
    const { offset, message } = read.fault
    return invalid([{ pointer: '', message: `line ${lineOf(offset)}: the YAML block ${message}` }])
  }
  // What JSON text may not hold (names that reach a prototype, depth) a YAML block may not either.
  const value = parseJson(JSON.stringify(read.value), {
    subject: `line ${firstLine}: the YAML block`,
  })
  if (!value.ok) return invalid(unfit(value.error, firstLine))
  if (isJsonObject(value.value)) return ok(value.value)
  const message = `line ${firstLine}: the YAML block is not a mapping; write endpoint: https://…`
  return invalid([{ pointer: '', message }])
}

/** Names in the block are not those of the skill, so a place in it is told in words. */
function unfit({ detail, faults }: Refusal, firstLine: number): readonly FieldFault[] {
  return (faults ?? []).length === 0
    ? [{ pointer: '', message: detail }]
    : (faults ?? []).map(({ message, pointer }) => ({
        pointer: '',
        message: `line ${firstLine}: the YAML block at ${pointer}: ${message}`,
      }))
}

type Read = { readonly value: unknown } | { readonly fault: Fault }

function parsed(source: string, lineCounter: LineCounter): Read {
  const document = parseDocument(source, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    // Counted below: the library compares each key with all before it.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter,
  })
  const [wrong] = [...document.errors, ...document.warnings]
  if (wrong !== undefined) {
    const message = WORDS[wrong.code] ?? `is not YAML (${wrong.code}); mend it`
    return { fault: { offset: wrong.pos[0], message } }
  }
  if (document.directives.yaml.explicit === true) {
    return { fault: { offset: 0, message: 'has a %YAML directive; remove it' } }
  }
  const fault = nodeFault(document.contents)
  return fault === undefined ? { value: document.toJS({ maxAliasCount: 0 }) ?? {} } : { fault }
}

const WORDS: { readonly [code: string]: string } = {
  BAD_INDENT: 'is indented unevenly; align the keys of one mapping',
  MISSING_CHAR: 'lacks a character, such as a closing quote or bracket; add it',
  MULTIPLE_DOCS: 'holds several documents (---); keep one',
  NON_STRING_KEY: 'has a key that is not a text; write a plain name',
  RESOURCE_EXHAUSTION: 'nests too deep; flatten it',
  TAB_AS_INDENT: 'indents with a tab; use spaces',
  TAG_RESOLVE_FAILED: 'has a tag (!name); remove it',
}

/** Walks without recursion: a block may be a hundred thousand brackets. */
function nodeFault(root: unknown): Fault | undefined {
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const node = stack.pop()
    const message = faultOf(node)
    if (message !== undefined) return { offset: offsetOf(node), message }
    if (isMap(node)) {
      const twice = keyTwice(node.items.map(({ key }) => key))
      if (twice !== undefined) {
        return { offset: offsetOf(twice), message: 'gives a key twice; keep one of the two' }
      }
      stack.push(...node.items.flatMap(({ key, value }) => [key, value]))
    } else if (isCollection(node)) stack.push(...node.items)
  }
  return undefined
}

function faultOf(node: unknown): string | undefined {
  if (isAlias(node)) return 'has an alias (*name); write the value out'
  if (isScalar(node) || isCollection(node)) {
    if (node.tag?.startsWith('!') === true) return 'has a tag (!name); remove it'
    if (node.anchor !== undefined) return 'has an anchor (&name); remove it'
  }
  return isScalar(node) && typeof node.value === 'number'
    ? numberFault(node.value, node.source ?? '')
    : undefined
}

/** YAML also writes numbers as 0x1F, 0o17, +1 and .5; of the first two each whole number is exact. */
function numberFault(value: number, source: string): string | undefined {
  if (!Number.isFinite(value)) return 'has a number that JSON cannot hold; write a finite one'
  const isKept = /^0[xo]/.test(source)
    ? Number.isSafeInteger(value)
    : survives(source.replace(/^\+/, ''))
  return isKept ? undefined : `has ${CHANGED_NUMBER.replace(/^is /, '')}`
}

function keyTwice(keys: readonly unknown[]): unknown {
  const names = new Set<string>()
  return keys.find((key) => {
    const name = String(isScalar(key) ? key.value : key)
    const known = names.has(name)
    names.add(name)
    return known
  })
}

function offsetOf(node: unknown): number {
  const { range }: Partial<Node> = Object(node)
  return range?.[0] ?? 0
}

/** The library recurses into what nests, so a deep block ends the stack. */
function guarded(read: () => Read): Read {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof RangeError)
      return { fault: { offset: 0, message: 'nests too deep; flatten it' } }
    throw cause
  }
}
