// The hook that needs more than execute's first file: the converter of HTML is loaded with the
// first page, from files beside it, and works in a thread that the file itself starts.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditsAfterwards, newUser, syncSkill, syncSkills, type User } from './people.ts'
import { startWorld, type World } from './world.ts'

let world: World
let ada: User
beforeAll(async () => {
  world = await startWorld()
  await syncSkills(world)
  ada = await newUser(world, 'ada', 10)
  await syncSkill(world, {
    id: 'sg_page',
    source: 'official',
    meta: {
      name: 'page',
      description: 'A page to read.',
      parameters: { type: 'object', properties: {} },
    },
    config: {
      endpoint: `${world.upstream.url}/page`,
      method: 'GET',
      plugin_hook: 'html_to_markdown',
    },
    credits_per_call: 1,
  })
})
afterAll(() => world.stop())

async function textOf(skill: string, args: object = {}): Promise<unknown> {
  const response = await fetch(`${world.executeUrl.url}/v1/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ skill, arguments: args }),
  })
  const { content } = (await response.json()) as { content?: { text?: string }[] }
  return content?.[0]?.text
}

test('a page becomes Markdown, again in the same environment, and in a new one', async () => {
  expect(await textOf('sg_page')).toBe('# Hours\n\nOpen **daily**.')
  await world.execute.whenIdle()
  expect(await textOf('sg_page')).toBe('# Hours\n\nOpen **daily**.')
  expect(await creditsAfterwards(world, ada)).toEqual({ credits: 8, creditsOnHold: 0 })
  await world.execute.killAll()
  expect(await textOf('sg_page')).toBe('# Hours\n\nOpen **daily**.')
  expect(await creditsAfterwards(world, ada)).toEqual({ credits: 7, creditsOnHold: 0 })
})

test('pages at once, and other calls beside them, each get their own answers', async () => {
  const calls = ['sg_page', 'sg_echo', 'sg_page', 'sg_echo', 'sg_page']
  const texts = await Promise.all(calls.map((skill) => textOf(skill, { text: 'x' })))
  const page = '# Hours\n\nOpen **daily**.'
  expect(texts).toEqual([page, '{"text":"x"}', page, '{"text":"x"}', page])
})
