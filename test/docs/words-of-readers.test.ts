/**
 * Texts speak of the world of who reads them: those for agents know no admin API, no command line and
 * no ids of users, and what the command line prints about trouble knows no requests (ADR 0141).
 */
import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { writeFailureMessage } from '../../core/call/failure-messages.ts'
import { ERRORS, type ErrorCode, FAILURE_CLASSES } from '../../core/errors.ts'

/** Code whose texts reach agents, and people who call tools over REST. */
const FOR_AGENTS = [
  'core/{call,jsonrpc,login,mcp,request,response,secrets,session,sse}/**/*.ts',
  'core/flow/{catalog,execute,jobs,login,resources,sse,streamable-http,tools}/**/*.ts',
  'core/access/*.ts',
  'core/flow/access/*.ts',
  'adapters/{hooks,upstream}/**/*.ts',
  'lambdas/{call,execute,mcp,messages,sse}/**/*.ts',
]

/** Files in those folders whose texts only administrators and our own functions read. */
const FOR_OTHERS = new Set([
  // What the sweep and the admin function send to execute.
  'core/call/read-execute.ts',
  // Credentials and inputs of the admin API.
  'core/access/admin-credential.ts',
  'core/access/user-names.ts',
])

const ADMIN_WORDS =
  /\/v1\/admin|[Xx]-[Aa]dmin-[Kk]ey|\bskillgate [a-z-]+ [a-z-]+|\buid\b|users\/|sync_skill/

/** Texts of several words: sentences, and none of the names of fields and headers. */
function listTexts(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text)
    if (ts.isTemplateExpression(node)) {
      texts.push(
        [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'),
      )
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts.filter((text) => text.trim().split(/\s+/).length > 2)
}

const FILES = FOR_AGENTS.flatMap((pattern) => globSync(pattern)).filter(
  (file) => !FOR_OTHERS.has(file.replaceAll('\\', '/')),
)

describe('a text that an agent can get', () => {
  test('names no route of the admin API, no command and no id of a user', () => {
    expect(FILES.length).toBeGreaterThan(300)
    const found = FILES.flatMap((file) =>
      listTexts(file)
        .filter((text) => ADMIN_WORDS.test(text))
        .map((text) => `${file}: ${text}`),
    )
    expect(found).toEqual([])
  })

  test('of a failed call names none of them either, whatever failed', () => {
    const codes = Object.keys(ERRORS) as ErrorCode[]
    const texts = codes.flatMap((code) =>
      [undefined, ...FAILURE_CLASSES].flatMap((upstreamFault) => [
        writeFailureMessage({ code, upstreamFault }),
        writeFailureMessage({ code, upstreamFault, retryAfterSec: 5, free: false, afterMs: 1_000 }),
      ]),
    )
    expect(texts.length).toBeGreaterThan(500)
    expect(texts.filter((text) => ADMIN_WORDS.test(text))).toEqual([])
  })
})

describe('the trouble that the command line prints', () => {
  test.each(['at-80-columns', 'at-120-columns'])('names no request (%s)', (name) => {
    const screens = readFileSync(`test/cli/snapshots/${name}.txt`, 'utf8').split('\n$ ')
    const troubles = screens.flatMap((screen) => {
      const [, trouble = ''] = /--- stderr\n([\s\S]*?)\n---/.exec(screen) ?? []
      return trouble === '' ? [] : [trouble]
    })
    expect(troubles.length).toBeGreaterThan(3)
    const requests = /\b(GET|POST|PUT|PATCH|DELETE) \S*\/|\/v1\/admin|\?[a-z]+=|X-Admin-Key/
    expect(troubles.filter((text) => requests.test(text))).toEqual([])
  })
})
