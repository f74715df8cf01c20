/** Runs the API. */
import { createApp } from "../src/app.js";

const port = Number(process.env.PORT ?? 8080);
const { server, log } = createApp({ level: process.env.LOG_LEVEL ?? "info", file: process.env.SHOP_FILE });
server.listen(port, "127.0.0.1", () => log.info("listening", { port }));
