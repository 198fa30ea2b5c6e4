/** Invariants of ARCHITECTURE.md about what is absent, where only the source can show it. */
import { describe, expect, test } from 'vitest'
import { filesOf, readText } from './markdown.ts'

const HANDLERS = filesOf('lambdas/*/handler.ts')

/** A handler may load files of its function late, so all of them count. */
const SOURCES = filesOf('lambdas/**/*.ts')

function importersOf(module: string): readonly string[] {
  return SOURCES.filter((file) => readText(file).includes(`/${module}'`))
}

/** What a call needs: the functions that import it make calls. */
const CALL_PORTS = 'lambdas/call/call-ports.ts'
const CALLERS = [
  'lambdas/execute/handler.ts',
  'lambdas/mcp/handler.ts',
  'lambdas/messages/handler.ts',
]
const callers = () => importersOf('call-ports.ts')

describe('the powers that functions lack', () => {
  test('the test finds functions to judge', () => {
    expect(HANDLERS.length).toBeGreaterThanOrEqual(5)
  })

  test('only execute, mcp, messages, admin and sweep can write the ledger', () => {
    expect(importersOf('dynamodb/ledger/ledger.ts')).toEqual([
      'lambdas/admin/handler.ts',
      CALL_PORTS,
      'lambdas/sweep/handler.ts',
    ])
    expect(callers()).toEqual(CALLERS)
  })

  test('only execute, mcp, messages and their caller can call an upstream, and the sweep a webhook', () => {
    expect(importersOf('upstream-ports.ts')).toEqual([CALL_PORTS])
    expect(importersOf('upstream/http-upstream.ts')).toEqual([
      // For requests to issuers alone: the port goes nowhere but to the verifier of tokens.
      'lambdas/admin/token-verifier.ts',
      'lambdas/call/upstream-ports.ts',
      'lambdas/caller/handler.ts',
      'lambdas/sse/token-verifier.ts',
      'lambdas/sweep/event-target.ts',
    ])
    expect(callers()).toEqual(CALLERS)
    // It has nothing that a request of its own would need: no store and no secret.
    const ofCaller = SOURCES.filter((file) => file.startsWith('lambdas/caller/')).map(readText)
    expect(
      ofCaller
        .join()
        .match(/adapters\/\w+/g)
        ?.toSorted(),
    ).toEqual([
      'adapters/config',
      'adapters/crypto',
      'adapters/telemetry',
      'adapters/upstream',
      'adapters/upstream',
      'adapters/upstream',
      'adapters/upstream',
    ])
    expect(importersOf('events/webhook.ts')).toEqual(['lambdas/sweep/event-target.ts'])
  })
})

test('the environment of a function is read in one file', () => {
  const readers = filesOf('{core,adapters,lambdas}/**/*.ts').filter((file) =>
    readText(file).includes('process.env'),
  )
  expect(readers.filter((file) => !isComment(file))).toEqual(['adapters/config/env.ts'])
})

/** Some files only tell where the environment is read. */
function isComment(file: string): boolean {
  const lines = readText(file)
    .split('\n')
    .filter((line) => line.includes('process.env'))
  return lines.every((line) => /^\s*(\*|\/\*|\/\/)/.test(line))
}
