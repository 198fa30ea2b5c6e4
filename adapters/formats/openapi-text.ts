/**
 * Reads the text of an OpenAPI document as JSON, and upgrades older documents to OpenAPI 3.1. The
 * first document loads both libraries. No reference is followed. YAML with tags or many aliases is
 * refused: an alias of aliases makes a small text as large as it likes.
 */
import { err, ok, type Result, refuse } from '../../core/errors.ts'
import { isDeeperThan } from '../../core/json/depth.ts'
import { markExactNumbers } from '../../core/json/exact-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { parseText } from '../../core/json/parse-json.ts'
import { readText } from '../../core/json/read-text.ts'
import { DOCUMENT_DEPTH_MAX } from '../../core/openapi/limits.ts'
import type { OpenApiDocuments } from '../../core/ports/registry.ts'

/** UTF-8 bytes of a text; the door accepts no more. */
const TEXT_BYTES_MAX = 6_000_000

/**
 * `bytesMax` is larger for the command line, which selects a part of the document before it sends.
 */
export function makeOpenApiDocuments(bytesMax: number = TEXT_BYTES_MAX): OpenApiDocuments {
  return {
    read: async (text) => {
      const isJson = /^\s*[{[]/.test(text)
      const read = isJson ? readJson(text, bytesMax) : await readYaml(text, bytesMax)
      return read.ok ? asDocument(read.value) : read
    },
    upgrade,
  }
}

function readJson(text: string, bytesMax: number): Result<Json> {
  const limits = { bytesMax, depthMax: DOCUMENT_DEPTH_MAX, subject: 'document' }
  const read = readText(text, limits)
  return read.ok ? parseText(markExactNumbers(read.value), limits) : read
}

async function readYaml(text: string, bytesMax: number): Promise<Result<Json>> {
  const yaml = await import('./yaml-document.ts')
  const value = yaml.readYamlValue(text, bytesMax)
  // A document may not hold what JSON cannot hold: dates, infinite numbers, names of prototypes.
  return value.ok ? readJson(JSON.stringify(value.value) ?? '', bytesMax) : value
}

function asDocument(value: Json): Result<JsonObject> {
  return isJsonObject(value) ? ok(value) : refuse('malformed', NO_DOCUMENT)
}

const NO_DOCUMENT =
  'document: is no OpenAPI document; send one with "openapi": "3.x" or "swagger": "2.0".'

async function upgrade(document: JsonObject): Promise<Result<JsonObject>> {
  const version = readVersion(document)
  if (isDeeperThan(document, DOCUMENT_DEPTH_MAX)) {
    return refuse('too_large', `document: nests deeper than ${DOCUMENT_DEPTH_MAX} levels.`)
  }
  if (version === undefined) return refuse('malformed', NO_DOCUMENT)
  if (/^3\.[12]\b/.test(version)) return ok(document)
  if (!/^(?:2\.0|3\.0)\b/.test(version)) {
    const detail = `document: has version ${version.slice(0, 20)}; 2.0, 3.0, 3.1 and 3.2 are read.`
    return refuse('malformed', detail)
  }
  const { upgrade: upgraded } = await import('@scalar/openapi-upgrader')
  try {
    const value: unknown = upgraded({ ...document, ...versionField(document, version) }, '3.1')
    return asDocument(value as Json)
  } catch (cause) {
    // The upgrader throws if a part has another form than its version allows.
    if (cause instanceof TypeError || cause instanceof RangeError) return err(NOT_UPGRADED)
    throw cause
  }
}

/** The version as text; in YAML without quotes it is a number: `swagger: 2.0`. */
function readVersion(document: JsonObject): string | undefined {
  const version = document['openapi'] ?? document['swagger']
  if (typeof version === 'string') return version
  if (typeof version !== 'number') return undefined
  const text = Number.isInteger(version) ? `${version}.0` : String(version)
  return document['openapi'] === undefined ? text : `${text}.0`
}

function versionField(document: JsonObject, version: string): JsonObject {
  return document['openapi'] === undefined ? { swagger: version } : { openapi: version }
}

const NOT_UPGRADED = {
  code: 'malformed',
  detail:
    'document: has parts that its version does not allow, so it cannot be read. Validate it, or send it as OpenAPI 3.1.',
} as const
