/**
 * `npm run admin:page`: writes docs/admin-api.md from the OpenAPI document of the admin API and
 * scripts/admin/page.md, and docs/me-api.md from that of the users' API and scripts/admin/me-page.md.
 * A heading there that is an operationId becomes the operation: method and
 * path, description, role, parameters, fields of the body, answers. The rest is written by hand:
 * texts about several operations, and the commands to paste. A test fails when the page is out of
 * date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import '../bench/lib/help.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json/json.ts'
import { USER_ROUTES } from '../lambdas/admin/me/me-routes.ts'
import { toUserOpenApi } from '../lambdas/admin/me/user-openapi.ts'
import { toOpenApi } from '../lambdas/admin/openapi.ts'
import type { RouteShape } from '../lambdas/admin/route.ts'
import { ROUTES } from '../lambdas/admin/routes.ts'
import { formatShape, formatValueRule, toFieldRows, toParameterRows } from './admin/rows.ts'

type DescribedPage = {
  readonly routes: readonly RouteShape[]
  readonly document: JsonObject
  /** In the folder `admin` beside this file. */
  readonly template: string
  /** In the folder `docs`. */
  readonly page: string
}

const ADMIN_PAGE: DescribedPage = {
  routes: ROUTES,
  document: toOpenApi(ROUTES, ''),
  template: 'page.md',
  page: 'admin-api.md',
}
const USER_PAGE: DescribedPage = {
  routes: USER_ROUTES,
  document: toUserOpenApi(USER_ROUTES, ''),
  template: 'me-page.md',
  page: 'me-api.md',
}
const WIDTH = 100

type Table = { readonly heading: string; readonly rows: readonly (readonly string[])[] }

/** Least number of rows of an earlier table that are not repeated but named. */
const REPEATED_ROWS_MIN = 4

/** Returns docs/admin-api.md. Throws as {@link formatPage} does. */
export function formatAdminPage(template?: string): string {
  return formatPage(ADMIN_PAGE, template)
}

/** Returns docs/me-api.md. Throws as {@link formatPage} does. */
export function formatUserPage(): string {
  return formatPage(USER_PAGE)
}

/**
 * Returns the page. Throws an Error if the template lacks an operation of the document, or names
 * one twice.
 */
function formatPage(of: DescribedPage, template = readTemplate(of)): string {
  const { document, routes } = of
  const operations = new Map(
    routes.map(({ method, operationId, path }) => {
      const operation = readObject(document, 'paths', path, method.toLowerCase())
      return [operationId, { heading: `${method} ${path.slice(1)}`, operation }]
    }),
  )
  const missing = new Set(operations.keys())
  const shown: Table[] = []
  const page = template
    .replace('<!-- path parameters -->', () => formatPathParameters(of))
    .replaceAll(/^### (\w+)$/gm, (heading, name: string) => {
      const found = operations.get(name)
      if (found === undefined) return heading
      if (!missing.delete(name))
        throw new Error(`scripts/admin/${of.template} has ### ${name} twice.`)
      const rows = [...toParameterRows(found.operation), ...toFieldRows(found.operation, document)]
      const part = formatOperation(found.operation, formatSentTable(rows, shown), document)
      shown.push({ heading: found.heading, rows })
      return `### ${found.heading}\n\n${part}`
    })
  if (missing.size === 0) return rewriteLinks(of, page)
  throw new Error(
    `scripts/admin/${of.template} has no ### ${[...missing].join(', no ### ')}. Add it.`,
  )
}

/** Rewrites the template's links, which lead from its own folder, as links of the page in docs. */
function rewriteLinks({ page: name }: DescribedPage, page: string): string {
  return page.replaceAll(`](../../docs/${name}#`, '](#').replaceAll('](../../docs/', '](')
}

function formatOperation(operation: JsonObject, sent: string, document: JsonObject): string {
  const { description, responses, summary } = operation
  const about = [`${summary}.`, ...(typeof description === 'string' ? [description] : [])]
  const answers = Object.entries(isJsonObject(responses) ? responses : {})
    .flatMap(([status, answer]) => (isJsonObject(answer) ? [[status, answer] as const] : []))
    .filter(([, { description: says }]) => typeof says === 'string')
    .map(
      ([status, answer]) => `- ${status}: ${answer['description']}${formatShape(answer, document)}`,
    )
  const parts = [about.join(' '), formatRole(operation)].map(wrapMarkdown)
  return [...parts, sent, answers.map(wrapMarkdown).join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Returns the table of parameters and fields; '' for an operation that takes nothing. */
function formatSentTable(rows: Table['rows'], earlier: readonly Table[]): string {
  if (rows.length === 0) return ''
  const keys = new Set(rows.map(String))
  const same = earlier.find(
    (one) => one.rows.length >= REPEATED_ROWS_MIN && one.rows.every((row) => keys.has(String(row))),
  )
  const known = new Set(same?.rows.map(String))
  const own = rows.filter((row) => !known.has(String(row)))
  const takes =
    same === undefined
      ? []
      : [`Takes what \`${same.heading}\` takes${own.length > 0 ? ', and:' : '.'}`]
  return [
    ...takes,
    ...(own.length > 0 ? [formatTable(['Send', 'Value', 'Meaning'], own)] : []),
  ].join('\n\n')
}

function readTemplate({ template }: DescribedPage): string {
  return readFileSync(join(import.meta.dirname, 'admin', template), 'utf8')
}

function formatRole({ security, 'x-needs': needs, 'x-role': role }: JsonObject): string {
  if (needs === 'managing') return 'Needs a credential that may manage the account.'
  if (needs !== undefined) return 'Takes any credential of the user.'
  const isInternal = Array.isArray(security) && security.length === 1
  return isInternal ? 'For the internal secret only.' : `Least role: \`${role}\`.`
}

/** Lists each path parameter once, because a name means the same in every path. */
function formatPathParameters({ document, routes }: DescribedPage): string {
  const rows = new Map<string, readonly string[]>()
  for (const { method, path } of routes) {
    const { parameters } = readObject(document, 'paths', path, method.toLowerCase())
    for (const one of Array.isArray(parameters) ? parameters.filter(isJsonObject) : []) {
      const name = `\`{${one['name']}}\``
      const row = [name, formatValueRule(one['schema'], document), `${one['description'] ?? ''}`]
      if (one['in'] === 'path' && !rows.has(name)) rows.set(name, row)
    }
  }
  return formatTable(['In a path', 'Value', 'Meaning'], [...rows.values()])
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function readObject(document: JsonObject, ...names: readonly string[]): JsonObject {
  const found = names.reduce<Json | undefined>(
    (at, name) => (isJsonObject(at) ? at[name] : undefined),
    document,
  )
  if (isJsonObject(found)) return found
  throw new Error(`The document has no ${names.join(' ')}.`)
}

if (import.meta.main) {
  for (const one of [ADMIN_PAGE, USER_PAGE]) {
    writeFileSync(join(import.meta.dirname, '../docs', one.page), formatPage(one))
  }
}

/**
 * Returns the lines. Code and links stay on one line. A word that Markdown would read as a mark
 * never begins a line.
 */
export function wrapMarkdown(paragraph: string): string {
  const indent = paragraph.startsWith('- ') ? '  ' : ''
  const words = paragraph.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`[]|[`[])+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    const isMark = /^(?:[-+*#>|=]|\d+[.)]$)/.test(word)
    if (line === undefined) lines.push(word)
    else if (isMark || line.length + 1 + word.length <= WIDTH) lines.push(`${lines.pop()} ${word}`)
    else lines.push(`${indent}${word}`)
  }
  return lines.join('\n')
}
