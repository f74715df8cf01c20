/** Style sheets are imported for the bundle. */
declare module "*.css";
