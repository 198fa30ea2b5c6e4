/** All pages, in the order of the navigation. */
import type { Route } from '../shell/route.ts'
import type { AdminRole, Person } from '../shell/session.ts'
import { CALL_PAGES } from './calls.tsx'
import { CATALOGUE_PAGES } from './catalogue.tsx'
import { HEALTH_PAGES } from './health.tsx'
import { IMPORT_PAGE } from './import.tsx'
import { ME_PAGES, OWN_PAGE } from './me/me-pages.tsx'
import { OVERVIEW_PAGE } from './overview.tsx'
import type { Page, PageProps } from './page.ts'
import { SECRET_PAGES } from './secrets.tsx'
import { SKILL_EDITOR_PAGES } from './skill-editor.tsx'
import { SKILL_TRY_PAGE } from './skill-try.tsx'
import { SKILL_VERSIONS_PAGE } from './skill-versions.tsx'
import { SKILL_PAGES } from './skills.tsx'
import { STATEMENT_PAGES } from './statements.tsx'
import { TASK_PAGES } from './tasks.tsx'
import { TRAIL_PAGES } from './trail.tsx'
import { UPSTREAM_PAGES } from './upstreams.tsx'
import { USAGE_PAGES } from './usage.tsx'
import { USER_PAGES } from './users.tsx'
import { WELCOME_PAGES } from './welcome.tsx'

export const PAGES: readonly Page[] = [
  OVERVIEW_PAGE,
  ...SKILL_PAGES,
  ...SKILL_EDITOR_PAGES,
  SKILL_TRY_PAGE,
  SKILL_VERSIONS_PAGE,
  IMPORT_PAGE,
  ...UPSTREAM_PAGES,
  ...USER_PAGES,
  ...CALL_PAGES,
  ...ME_PAGES,
  ...CATALOGUE_PAGES,
  ...USAGE_PAGES,
  ...STATEMENT_PAGES,
  ...TRAIL_PAGES,
  ...HEALTH_PAGES,
  ...TASK_PAGES,
  ...SECRET_PAGES,
  ...WELCOME_PAGES,
]

export type FoundPage = PageProps & { readonly page: Page }

/** Returns the page of an address, and what varies in it. */
export function findPage({ path, query }: Route): FoundPage | undefined {
  for (const page of PAGES) {
    const params = matchPath(page.path, path)
    if (params !== undefined) return { page, params, query }
  }
  return undefined
}

/** Lists the pages of the navigation for this person. `may` judges roles. */
export function listPages(who: Person, may: (role: AdminRole) => boolean): readonly Page[] {
  return PAGES.filter(({ audience, isListed, role = 'viewer' }) => {
    if (!isListed) return false
    if (audience === 'administrators') return who.kind === 'administrator' && may(role)
    return audience === 'everybody' || who.kind === 'user'
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
