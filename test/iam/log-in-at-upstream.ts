/**
 * A user's login at an upstream: the link of a call without it, its page, the authorization server
 * and the callback, all of them at the function mcp.
 */
import type { User } from '../lambda/doors/people.ts'
import { postModern } from '../lambda/doors/posts.ts'
import { readHidden } from '../local/login-person.ts'
import type { AuthorizationServer } from '../oauth/authorization-server.ts'
import type { JudgedWorld } from './judged-world.ts'

/** The origin of the gateway's pages; requests go to the function URL of mcp. */
export const PAGES_ORIGIN = 'https://mcp.example'
const LINK = /https:\/\/mcp\.example(\/secrets\/[\w-]+)/

/** Calls the skill `name`, which lacks its login, and returns the status of the last page. */
export async function logInAtUpstream(
  world: JudgedWorld,
  server: AuthorizationServer,
  { key }: User,
  name: string,
): Promise<number> {
  const { mcpUrl } = world
  const called = await postModern(world, key, 'tools/call', { name, arguments: {} })
  const [, path = ''] = LINK.exec(JSON.stringify(await called.rest())) ?? []
  const at = `${mcpUrl.url}${path}`
  const page = await fetch(at)
  const begun = await fetch(at, {
    method: 'POST',
    headers: { origin: PAGES_ORIGIN, cookie: cookieOf(page) },
    body: new URLSearchParams({ ...readHidden(await page.text()), key }),
    redirect: 'manual',
  })
  const back = await server.logIn(new URL(begun.headers.get('location') ?? ''))
  const callback = `${mcpUrl.url}${back.pathname}${back.search}`
  return (await fetch(callback, { headers: { cookie: cookieOf(begun) } })).status
}

function cookieOf({ headers }: Response): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
