/** Optional members of an object literal: those that are undefined are left out, as `exactOptionalPropertyTypes` wants it. */

type Defined<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> };

export function defined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>;
}
