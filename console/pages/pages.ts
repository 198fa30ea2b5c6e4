/** All pages, in the order of the navigation. */
import type { Route } from '../shell/route.ts'
import type { AdminRole, Person } from '../shell/session.ts'
import { CALL_PAGES } from './calls.tsx'
import { CATALOGUE_PAGES } from './catalogue.tsx'
import { ME_PAGES, OWN_PAGE } from './me/me-pages.tsx'
import { OVERVIEW_PAGE } from './overview.tsx'
import type { Page, PageProps } from './page.ts'
import { SKILL_PAGES } from './skills.tsx'
import { USER_PAGES } from './users.tsx'

const PAGES: readonly Page[] = [
  OVERVIEW_PAGE,
  ...SKILL_PAGES,
  ...USER_PAGES,
  ...CALL_PAGES,
  ...ME_PAGES,
  ...CATALOGUE_PAGES,
]

export type FoundPage = PageProps & { readonly page: Page }

/** Returns the page of an address, and what varies in it; undefined if it is for others. */
export function findPage(route: Route, who: Person): FoundPage | undefined {
  const { query } = route
  for (const page of PAGES) {
    const params = isFor(page, who) ? matchPath(page.path, toPath(route, who)) : undefined
    if (params !== undefined) return { page, params, query }
  }
  return undefined
}

/** Returns the path of the listed page that a route belongs to: the longest that it begins with. */
export function findListed(listed: readonly Page[], route: Route, who: Person): string | undefined {
  const path = `${toPath(route, who).join('/')}/`
  const found = listed.filter((page) => path.startsWith(`${page.path}/`))
  return found.sort((a, b) => b.path.length - a.path.length)[0]?.path
}

/** Users have their own first page. */
function toPath({ path }: Route, { kind }: Person): readonly string[] {
  return kind === 'user' && path.length === 0 ? [OWN_PAGE] : path
}

/** Before a sign-in every page is there, so that the address stays until it can be shown. */
function isFor({ audience }: Page, { kind }: Person): boolean {
  if (kind === 'nobody' || audience === 'everybody') return true
  return audience === (kind === 'user' ? 'users' : 'administrators')
}

/** Lists the pages of the navigation for this person. `may` judges roles. */
export function listPages(who: Person, may: (role: AdminRole) => boolean): readonly Page[] {
  return PAGES.filter((page) => {
    const { audience, isListed, role = 'viewer' } = page
    if (!isListed || !isFor(page, who)) return false
    if (who.kind === 'nobody') return audience === 'everybody'
    return audience !== 'administrators' || may(role)
  })
}

function matchPath(pattern: string, path: readonly string[]): readonly string[] | undefined {
  const parts = pattern === '' ? [] : pattern.split('/')
  if (parts.length !== path.length) return undefined
  const params: string[] = []
  for (const [index, part] of parts.entries()) {
    const given = path[index] ?? ''
    if (part.startsWith('{')) params.push(given)
    else if (part !== given) return undefined
  }
  return params
}
