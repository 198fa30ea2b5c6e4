/**
 * Sixty small documents of 2.0, 3.0 and 3.1 (package @readme/oas-examples): circles, every security
 * scheme, every style, polymorphism. `npm run test:openapi` plans 2,639 real ones.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClearSecrets } from '../../core/skills/definition/clear-secrets.ts'
import { listWithClient, planDocument, toolsOf } from './plan-document.ts'

const FOLDER = join(import.meta.dirname, '../../node_modules/@readme/oas-examples')
const FILES = globSync('{2.0,3.0,3.1}/{json,yaml}/**/*.{json,yaml}', { cwd: FOLDER }).sort()

test('there are at least sixty examples, in JSON and in YAML', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(60)
  expect(FILES.some((file) => file.endsWith('.yaml'))).toBe(true)
})

test.each(FILES)(
  '%s becomes tools without credentials that the official client lists, or is refused with a reason',
  async (file) => {
    const planned = await planDocument(readFileSync(join(FOLDER, file), 'utf8'))
    if (planned.kind === 'refused') {
      expect(planned.detail).toMatch(/^document: has references to other files/)
      return
    }
    const { plan } = planned
    const { notImported, operations } = plan.read
    expect(plan.skills.length + notImported.length).toBe(operations)
    for (const { reason } of notImported) expect(reason).toMatch(/\.$/)
    const secrets = plan.skills.map(({ definition }) => findClearSecrets(definition))
    expect(secrets.flat()).toEqual([])
    expect(await listWithClient(toolsOf(plan))).toBe(plan.skills.length)
  },
)
