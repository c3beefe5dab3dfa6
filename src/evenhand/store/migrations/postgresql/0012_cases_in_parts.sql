-- An evaluation from before is of the case that its id names; after a step back, of the one its scorecard names. Each
-- part is committed, and the next goes on from there. "case" follows the id, so that its first characters tell.
INSERT INTO cases (id, case_id)
SELECT id, CASE
  WHEN strpos(substr(scorecard, 1, 64 + 6 * length(id)), '"case":') > 0
  THEN coalesce(scorecard::json ->> 'case', id)
  ELSE id
END AS case_id
FROM evaluations
WHERE id > coalesce((SELECT max(id) FROM cases), '')
ORDER BY id
LIMIT 20000
