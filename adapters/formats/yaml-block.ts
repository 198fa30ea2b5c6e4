/**
 * Reads a YAML block (1.2, core schema) as a JSON object. It refuses what JSON cannot express or a
 * reader would overlook: tags, aliases and merges, directives, repeated keys, several documents,
 * infinite numbers. It never throws, and its messages repeat nothing of the text.
 */
import { isAlias, isCollection, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import { type FieldError, ok, type Refusal, type Result } from '../../core/errors.ts'
import { isExactAsDouble } from '../../core/json/changed-numbers.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { refuseMarkdown } from '../../core/skills/definition/markdown-skill.ts'
import { CHANGED_NUMBER } from '../../core/skills/definition/number-faults.ts'

type BlockError = { readonly offset: number; readonly message: string }

/** `firstLine`: the line of the block's content in the whole text. */
export function readYaml(source: string, firstLine: number): Result<JsonObject> {
  const lineCounter = new LineCounter()
  const findLine = (offset: number) => firstLine - 1 + Math.max(1, lineCounter.linePos(offset).line)
  const read = catchOverflow(() => parseBlock(source, lineCounter))
  if ('fault' in read) {
    const { offset, message } = read.fault
    return refuseMarkdown([
      { pointer: '', message: `line ${findLine(offset)}: the YAML block ${message}` },
    ])
  }
  // The rules of JSON text also apply to a YAML block: depth, and names that reach a prototype.
  const value = parseJson(JSON.stringify(read.value), {
    subject: `line ${firstLine}: the YAML block`,
  })
  if (!value.ok) return refuseMarkdown(toErrors(value.error, firstLine))
  if (isJsonObject(value.value)) return ok(value.value)
  const message = `line ${firstLine}: the YAML block is not a mapping; write endpoint: https://…`
  return refuseMarkdown([{ pointer: '', message }])
}

/**
 * Names in the block differ from those of the skill, so the message describes the place in words.
 */
function toErrors({ detail, faults }: Refusal, firstLine: number): readonly FieldError[] {
  return (faults ?? []).length === 0
    ? [{ pointer: '', message: detail }]
    : (faults ?? []).map(({ message, pointer }) => ({
        pointer: '',
        message: `line ${firstLine}: the YAML block at ${pointer}: ${message}`,
      }))
}

type Read = { readonly value: unknown } | { readonly fault: BlockError }

function parseBlock(source: string, lineCounter: LineCounter): Read {
  const document = parseDocument(source, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    merge: false,
    stringKeys: true,
    // Checked below, because the library compares each key with all before it.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter,
  })
  const [wrong] = [...document.errors, ...document.warnings]
  if (wrong !== undefined) {
    const message = MESSAGES[wrong.code] ?? `is not YAML (${wrong.code}); mend it`
    return { fault: { offset: wrong.pos[0], message } }
  }
  if (document.directives.yaml.explicit === true) {
    return { fault: { offset: 0, message: 'has a %YAML directive; remove it' } }
  }
  const fault = findNodeError(document.contents)
  return fault === undefined ? { value: document.toJS({ maxAliasCount: 0 }) ?? {} } : { fault }
}

const MESSAGES: { readonly [code: string]: string } = {
  BAD_INDENT: 'is indented unevenly; align the keys of one mapping',
  MISSING_CHAR: 'lacks a character, such as a closing quote or bracket; add it',
  MULTIPLE_DOCS: 'holds several documents (---); keep one',
  NON_STRING_KEY: 'has a key that is not a text; write a plain name',
  RESOURCE_EXHAUSTION: 'nests too deep; flatten it',
  TAB_AS_INDENT: 'indents with a tab; use spaces',
  TAG_RESOLVE_FAILED: 'has a tag (!name); remove it',
}

/** Walks without recursion, because a block may consist of a hundred thousand brackets. */
function findNodeError(root: unknown): BlockError | undefined {
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const node = stack.pop()
    const message = describeNodeError(node)
    if (message !== undefined) return { offset: readOffset(node), message }
    if (isMap(node)) {
      const twice = findRepeatedKey(node.items.map(({ key }) => key))
      if (twice !== undefined) {
        return { offset: readOffset(twice), message: 'gives a key twice; keep one of the two' }
      }
      stack.push(...node.items.flatMap(({ key, value }) => [key, value]))
    } else if (isCollection(node)) stack.push(...node.items)
  }
  return undefined
}

function describeNodeError(node: unknown): string | undefined {
  if (isAlias(node)) return 'has an alias (*name); write the value out'
  if (isScalar(node) || isCollection(node)) {
    if (node.tag?.startsWith('!') === true) return 'has a tag (!name); remove it'
    if (node.anchor !== undefined) return 'has an anchor (&name); remove it'
  }
  return isScalar(node) && typeof node.value === 'number'
    ? describeNumberError(node.value, node.source ?? '')
    : undefined
}

/** YAML also has numbers such as 0x1F, 0o17, +1 and .5; hexadecimal and octal ones are whole. */
function describeNumberError(value: number, source: string): string | undefined {
  if (!Number.isFinite(value)) return 'has a number that JSON cannot hold; write a finite one'
  const isKept = /^0[xo]/.test(source)
    ? Number.isSafeInteger(value)
    : isExactAsDouble(source.replace(/^\+/, ''))
  return isKept ? undefined : `has ${CHANGED_NUMBER.replace(/^is /, '')}`
}

function findRepeatedKey(keys: readonly unknown[]): unknown {
  const names = new Set<string>()
  return keys.find((key) => {
    const name = String(isScalar(key) ? key.value : key)
    const known = names.has(name)
    names.add(name)
    return known
  })
}

function readOffset(node: unknown): number {
  const { range }: Partial<Node> = Object(node)
  return range?.[0] ?? 0
}

/** The library recurses, so a deeply nested block overflows the stack. */
function catchOverflow(read: () => Read): Read {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof RangeError)
      return { fault: { offset: 0, message: 'nests too deep; flatten it' } }
    throw cause
  }
}
