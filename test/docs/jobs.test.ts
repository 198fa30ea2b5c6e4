/** docs/skills.md shows the job of an example, which sync takes. */
import { expect, test } from 'vitest'
import { good } from '../core/skills/reading.ts'
import { blocksOf, readText, sectionOf } from './markdown.ts'

test('docs/skills.md shows the task of examples/skills/portrait.json, whose job is read', () => {
  const [shown] = blocksOf(sectionOf(readText('docs/skills.md'), '### Jobs'))
  const example = JSON.parse(readText('examples/skills/portrait.json'))
  expect(JSON.parse(shown?.text ?? '')).toEqual(example.config.task)
  expect(good(example).skill.task?.job?.pollMs).toBe(2_000)
})
