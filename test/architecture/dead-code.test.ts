/** knip.json works: it finds unused files and exports, and fails when its globs match nothing. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const REPO = join(import.meta.dirname, '../..')
const root = mkdtempSync(join(tmpdir(), 'skillgate-dead-'))
afterAll(() => rmSync(root, { recursive: true }))

function knipOn(tree: string): { status: number | null; output: string } {
  const reporters = ['symbols', join(REPO, 'scripts/knip-module-count.ts')]
  const args = ['--no-config-hints', ...reporters.flatMap((reporter) => ['--reporter', reporter])]
  const knip = join(REPO, 'node_modules/.bin/knip')
  const run = spawnSync(knip, ['--directory', tree, ...args], { encoding: 'utf8' })
  return { status: run.status, output: run.stdout + run.stderr }
}

test('the check of dead code reports the unused file and the unused export', () => {
  const tree = join(root, 'dead')
  cpSync(join(import.meta.dirname, 'fixtures/dead'), tree, { recursive: true })
  cpSync(join(REPO, 'knip.json'), join(tree, 'knip.json'))
  const { status, output } = knipOn(tree)
  expect(status).toBe(1)
  expect(output).toContain('core/call/never-imported.ts')
  expect(output).toContain('neverUsed')
  expect(output).not.toContain('handler')
})

test('the check of dead code fails when it read no module at all', () => {
  const tree = join(root, 'empty')
  cpSync(join(import.meta.dirname, 'fixtures/dead/package.json'), join(tree, 'package.json'))
  cpSync(join(REPO, 'knip.json'), join(tree, 'knip.json'))
  const { status, output } = knipOn(tree)
  expect(status).not.toBe(0)
  expect(output).toContain('knip saw no module')
})
