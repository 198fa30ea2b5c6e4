/**
 * One compiled program over the doors as they are, and, for tests of what reads it, over files that
 * exist only in memory. Reports no type errors: that is `npm run types`.
 */
import { join } from 'node:path'
import ts from 'typescript'
import { DOORS, type Door } from '../../lib/doors.ts'

const REPO = join(import.meta.dirname, '../..')

export function doorFile(door: Door): string {
  return `lambdas/${door}/door.ts`
}

/** Files that make a port of a function out of store ports; the walk from the door ends at the port. */
const PORT_MAKERS: { readonly [door in Door]?: readonly string[] } = {
  execute: ['lambdas/call/token-verifier.ts', 'lambdas/call/mcp-ports.ts'],
  mcp: ['lambdas/call/token-verifier.ts', 'lambdas/call/mcp-ports.ts'],
  messages: ['lambdas/call/mcp-ports.ts'],
  sse: ['lambdas/sse/token-verifier.ts'],
  admin: ['lambdas/admin/token-verifier.ts'],
  sweep: ['core/flow/upstreams/refresh-due.ts'],
}

/** The files from which all that a function does with the store is reached. */
export function filesOfDoor(door: Door): readonly string[] {
  return [doorFile(door), ...(PORT_MAKERS[door] ?? [])]
}

/** `inMemory`: path from the repository's root → source. */
export function doorProgram(inMemory: { readonly [path: string]: string } = {}): ts.Program {
  const config = ts.readConfigFile(join(REPO, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, REPO)
  const extra = new Map(Object.entries(inMemory).map(([path, text]) => [join(REPO, path), text]))
  const host = ts.createCompilerHost(options)
  const onDisk = { fileExists: host.fileExists, readFile: host.readFile }
  host.fileExists = (path) => extra.has(path) || onDisk.fileExists(path)
  host.readFile = (path) => extra.get(path) ?? onDisk.readFile(path)
  const doors = DOORS.flatMap(filesOfDoor).map((file) => join(REPO, file))
  return ts.createProgram([...doors, ...extra.keys()], options, host)
}

/** `path` is from the repository's root. */
export function sourceFile(program: ts.Program, path: string): ts.SourceFile {
  const file = program.getSourceFile(join(REPO, path))
  if (file === undefined) throw new Error(`${path}: is not in the program`)
  return file
}
